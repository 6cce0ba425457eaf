import type { OptionSpec } from '../../machine/declaration.js';

export const TIMEOUT_OPTION = {
  letter: 't',
  kind: 'duration',
  valueName: 'TIME',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'give up after TIME (500ms, 60s), with exit status 3',
} as const satisfies OptionSpec;
