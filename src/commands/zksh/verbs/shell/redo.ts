import { CommandError, usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const redo = defineCommand({
  name: 'redo',
  group: 'shell',
  summary: 'Run a line of the history again',
  description: 'At the prompt, !3 is short for redo 3, and !! runs the last line again.',
  options: {},
  args: {
    number: { kind: 'integer', max: 0x7fff_ffff, summary: 'the number of the line in history' },
  },
  isLocal: true,
  examples: [{ line: 'redo 3', summary: 'Run line 3 again' }],
  async run(context, { args: { number }, tokens }): Promise<Result> {
    const line = context.session.lines[number];
    if (line === undefined) {
      throw usageError(`redo: no line ${number} in history`, tokens.number, {
        hint: 'run history to list the lines',
      });
    }
    if (/^\s*redo\b/.test(line))
      throw usageError(`redo: line ${number} is itself a redo`, tokens.number);
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
