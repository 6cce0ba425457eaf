import type { OptionSpec } from '../engine/command.js';

/** The timeout of a command that waits for changes. */
export const TIMEOUT_OPTION = {
  letter: 't',
  kind: 'integer',
  valueName: 'MS',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'give up after MS milliseconds, with exit status 3',
} as const satisfies OptionSpec;
