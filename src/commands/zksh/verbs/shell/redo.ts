import { CommandError, usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const redo = defineCommand({
  name: 'redo',
  group: 'shell',
  summary: 'run a line again',
  description: 'At the prompt !3 alone is short for redo 3, and !! runs the last line again.',
  options: {},
  args: {
    number: { kind: 'integer', max: 0x7fff_ffff, summary: 'its number, as history shows it' },
  },
  isLocal: true,
  examples: [{ line: 'redo 3', summary: 'line 3 of history' }],
  async run(context, { args: { number }, tokens }): Promise<Result> {
    const line = context.session.lines[number];
    if (line === undefined) {
      throw usageError(`there is no line ${number}`, tokens.number, 'history lists them');
    }
    if (/^\s*redo\b/.test(line)) throw usageError(`line ${number} is a redo itself`, tokens.number);
    for await (const outcome of context.runLine(line)) {
      if (outcome.kind === 'error') {
        const { sentence, ...rest } = outcome.error;
        throw new CommandError(sentence, { ...rest, place: undefined });
      }
      if (outcome.result.kind === 'exit') return outcome.result;
      await context.emit(outcome.result);
    }
    return { kind: 'end' };
  },
});
