import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import type { Stat } from '../../../protocol/data.js';
import { type Place, usageError } from '../../program/command-error.js';

export interface Condition {
  /** Whether the condition needs the data, and so READ permission. */
  readonly isOfData: boolean;
  /** @param stat null if the znode does not exist */
  isMet(stat: Stat | null, data: Buffer | null): boolean;
}

export const UNTIL_FORMS = 'exists, deleted, value=TEXT, version=N, or children=N';

export function parseUntil(text: string, place: Place | undefined): Condition {
  if (text === 'exists') return { isOfData: false, isMet: (stat) => stat !== null };
  if (text === 'deleted') return { isOfData: false, isMet: (stat) => stat === null };
  const [, name, wanted] = /^(value|version|children)=(.*)$/s.exec(text) ?? [];
  if (name === 'value' && wanted !== undefined) {
    const bytes = Buffer.from(wanted);
    return { isOfData: true, isMet: (_, data) => data?.equals(bytes) ?? false };
  }
  if (name !== undefined && wanted !== undefined && /^\d{1,10}$/.test(wanted)) {
    const field = name === 'version' ? 'version' : 'numChildren';
    return { isOfData: false, isMet: (stat) => stat?.[field] === Number(wanted) };
  }
  throw usageError(`--until: invalid condition: "${text}" (expected ${UNTIL_FORMS})`, place);
}

/** Waits for a reconnect. @throws ZooKeeperError if the read fails */
export async function isConditionMet(
  client: ZooKeeperClient,
  path: string,
  condition: Condition,
): Promise<boolean> {
  for (;;) {
    try {
      const stat = await client.exists(path);
      if (stat === null || !condition.isOfData) return condition.isMet(stat, null);
      return condition.isMet(stat, (await client.getData(path)).data);
    } catch (error) {
      const code = error instanceof ZooKeeperError ? error.code : undefined;
      // NONODE: deleted between the two reads.
      if (code !== 'CONNECTIONLOSS' && code !== 'NONODE') throw error;
    }
  }
}
