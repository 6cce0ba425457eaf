import type { OptionSpec } from '../engine/command.js';

/** How long a command waits for something to happen. */
export const TIMEOUT_OPTION = {
  letter: 't',
  kind: 'integer',
  valueName: 'MS',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'give up after so long, with exit code 3',
} as const satisfies OptionSpec;
