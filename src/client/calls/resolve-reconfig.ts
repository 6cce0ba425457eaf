import { checkLong, checkText, readFields } from '../../protocol/check-argument.js';
import type { ConfigChange } from '../base/config-change.js';

export interface Reconfiguration {
  readonly joining: string | null;
  readonly leaving: string | null;
  readonly members: string | null;
  readonly fromConfig: bigint;
}

/** @throws TypeError or RangeError */
export function resolveReconfig(change: ConfigChange): Reconfiguration {
  const fields = readFields('change', change, ['joining', 'leaving', 'members', 'fromConfig']);
  const { fromConfig = -1n } = fields;
  const servers = (name: 'joining' | 'leaving' | 'members'): string | null =>
    fields[name] === undefined ? null : checkText(`change.${name}`, fields[name]);
  return {
    joining: servers('joining'),
    leaving: servers('leaving'),
    members: servers('members'),
    fromConfig: checkLong('change.fromConfig', fromConfig),
  };
}
