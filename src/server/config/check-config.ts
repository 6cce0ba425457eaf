import { checkOneOf, checkWhole, readFields } from '../../protocol/check-argument.js';
import type { Config } from './config.js';

/** A configuration that was read already, as far as one can see. */
export function checkConfig(name: string, value: unknown): void {
  const { isReplicated, tickTimeMs } = readFields(name, value as Config, [
    'isReplicated',
    'tickTimeMs',
  ]);
  checkOneOf(`${name}.isReplicated`, isReplicated, [true, false]);
  checkWhole(`${name}.tickTimeMs`, tickTimeMs);
}
