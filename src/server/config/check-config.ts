import { checkOneOf, checkWhole, readFields } from '../../protocol/check-argument.js';
import type { Config } from './config.js';

/** Checks a value that should be a parsed configuration, as far as possible. */
export function checkConfig(name: string, value: unknown): void {
  const { isReplicated, tickTimeMs } = readFields(
    name,
    value as Config,
    ['isReplicated', 'tickTimeMs'],
    'any',
  );
  checkOneOf(`${name}.isReplicated`, isReplicated, [true, false]);
  checkWhole(`${name}.tickTimeMs`, tickTimeMs);
}
