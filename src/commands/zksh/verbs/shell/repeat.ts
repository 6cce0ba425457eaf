import { setTimeout } from 'node:timers/promises';
import { errorOf } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const repeat = defineCommand({
  name: 'repeat',
  group: 'shell',
  summary: 'Run a command repeatedly',
  description: 'Stops at the first error or when interrupted.',
  options: {
    every: {
      kind: 'duration',
      valueName: 'TIME',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'pause between runs: 500ms, 10s; default 0',
    },
  },
  args: {
    count: { kind: 'integer', min: 1, max: 0x7fff_ffff, summary: 'the number of runs' },
    command: { kind: 'word', isVariadic: true, summary: 'the command; aliases are not expanded' },
  },
  isLocal: true,
  examples: [
    { line: 'repeat 60 --every 1000 get /app/leader', summary: 'Poll a value for a minute' },
  ],
  async run(context, { args: { count, command }, options: { every = 0 } }): Promise<Result> {
    const { signal } = context;
    for (let run = 0; run < count; run++) {
      if (run > 0 && every > 0) await setTimeout(every, undefined, { signal });
      for await (const outcome of context.runWords(command)) {
        if (outcome.kind === 'error') throw errorOf(outcome.error);
        const { result } = outcome;
        if (result.kind === 'exit') return result;
        if (result.kind === 'ran' && result.exitCode !== 0) return result;
        await context.emit(result);
      }
    }
    return { kind: 'end' };
  },
});
