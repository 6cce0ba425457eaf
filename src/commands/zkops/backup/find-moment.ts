import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundFile, logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { type ReadLogOptions, readLog } from '../../data-files/read-log.js';
import { timeOfTxn } from '../../data-files/txn-head.js';
import type { OptionSpecs } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import type { ReadLimits } from './backup-log.js';

export const AT_OPTION: OptionSpecs = {
  at: {
    kind: 'text',
    valueName: 'MOMENT',
    fallback: 'latest',
    summary: 'zxid such as 0x100000008, time such as 2026-01-31T12:00:00Z, or latest',
  },
};

/** The value of `--at`: a zxid, a time, or the newest txn. */
export type At =
  | { readonly kind: 'latest' }
  | { readonly kind: 'zxid'; readonly zxid: bigint }
  | { readonly kind: 'time'; readonly timeMs: number };

export function parseAt(text: string): At {
  if (text === 'latest') return { kind: 'latest' };
  if (/^0x[0-9a-fA-F]{1,16}$/.test(text)) return { kind: 'zxid', zxid: BigInt(text) };
  const timeMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timeMs)) return { kind: 'time', timeMs };
  throw usageError(
    `--at: invalid moment: "${text}" (expected a zxid such as 0x100000008, a time such as 2026-01-31T12:00:00Z, or latest)`,
  );
}

export interface Span {
  readonly target: bigint;
  /** Txns after the target, and the last of them. */
  readonly later: number;
  /** How many of them have a time within the moment, because a clock went back. */
  readonly misdated: number;
  readonly lastZxid: bigint;
  readonly lastTimeMs: number | undefined;
}

/** The last txn at or before the moment. @throws CommandError if the backup begins later */
export async function findMoment(
  at: At,
  folder: string,
  files: readonly FoundFile[],
  limits: ReadLimits & Pick<ReadLogOptions, 'open'>,
): Promise<Span> {
  const snapshots = snapshotsAmong(files);
  const first = snapshots.at(-1);
  let target = snapshots.find(({ name, zxid }) =>
    isWithin(at, zxid, statSync(join(folder, name)).mtimeMs),
  )?.zxid;
  let later = 0;
  let misdated = 0;
  let lastZxid = snapshots[0]?.zxid ?? 0n;
  let lastTimeMs: number | undefined;
  let seen = -1n;
  for (const { name } of logsAmong(files)) {
    const take = ({
      zxid,
      entry,
    }: {
      readonly zxid: bigint;
      readonly entry: Buffer;
    }): undefined => {
      if (zxid <= seen) return;
      seen = zxid;
      const timeMs = timeOfTxn(entry);
      const isIn = isWithin(at, zxid, timeMs);
      // A clock may go back, but txns keep their order.
      if (later > 0 || !isIn) {
        later++;
        if (isIn) misdated++;
      } else if (target === undefined || zxid > target) target = zxid;
      if (zxid > lastZxid) lastZxid = zxid;
      lastTimeMs = timeMs;
    };
    const reader = readLog(join(folder, name), take, { ...limits, onBytes: () => undefined });
    while ((await reader.next()).done !== true);
  }
  const isBeyond = at.kind === 'zxid' && at.zxid > lastZxid;
  if (target === undefined || isBeyond || target < (first?.zxid ?? 0n)) {
    const from = first === undefined ? 'no snapshot' : formatZxid(first.zxid);
    throw usageError(
      `--at: the backup does not contain this moment (expected ${from} to ${formatZxid(lastZxid)})\nSee zkops backup status`,
    );
  }
  return { target, later, misdated, lastZxid, lastTimeMs };
}

function isWithin(at: At, zxid: bigint, timeMs: number): boolean {
  if (at.kind === 'latest') return true;
  return at.kind === 'zxid' ? zxid <= at.zxid : timeMs <= at.timeMs;
}
