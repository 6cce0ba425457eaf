/**
 * Whether a write without a reply happened. A Stat proves that it did not: a znode that is older
 * than the request, by its zxids, has not changed since. The sync before the read waits for
 * everything that the session sent before, and a leader refuses what an older connection of it
 * still sends.
 */
import type { CreateMode } from '../../protocol/create-mode.js';
import type { Stat } from '../../protocol/data.js';
import { parentPath } from '../../protocol/path.js';
import type { CreateOptions, CreateResult, Op, ZooKeeperClient } from '../base/client.js';

/** A write, and the newest zxid that the client knew when it sent it. */
export interface SentWrite {
  readonly op: Op | { readonly op: 'setACL'; readonly path: string; readonly version: number };
  readonly zxid: bigint;
}

export type Finding =
  | { readonly kind: 'did-not-happen' }
  /** A create that is recognizable by its session. */
  | { readonly kind: 'happened'; readonly created: CreateResult }
  | { readonly kind: 'unknown' };

const DID_NOT_HAPPEN: Finding = { kind: 'did-not-happen' };
const UNKNOWN: Finding = { kind: 'unknown' };

/** @throws ZooKeeperError of a lost connection, or of a refused read */
export async function findOut(client: ZooKeeperClient, { op, zxid }: SentWrite): Promise<Finding> {
  // Zero: the client does not know what it has seen.
  if (zxid === 0n) return UNKNOWN;
  await client.sync(op.path);
  const stat = await client.exists(op.path);
  switch (op.op) {
    case 'create':
      return findCreate(client, op.path, op.options, stat, zxid);
    case 'set':
      return stat !== null && stat.mzxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
    case 'delete':
      return stat !== null && stat.czxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
    case 'setACL': {
      // A Stat has no zxid of the last change of the ACL, but its version counts them.
      const isSame = stat !== null && stat.czxid <= zxid && stat.aversion === op.version;
      return isSame ? DID_NOT_HAPPEN : UNKNOWN;
    }
    case 'check':
      return DID_NOT_HAPPEN;
  }
}

async function findCreate(
  client: ZooKeeperClient,
  path: string,
  options: CreateOptions | undefined,
  stat: Stat | null,
  zxid: bigint,
): Promise<Finding> {
  const mode: CreateMode | undefined = options?.mode;
  if (mode?.isSequential !== true && stat !== null) {
    // An older znode refuses the repetition.
    if (stat.czxid <= zxid) return DID_NOT_HAPPEN;
    const isOurs = mode?.isEphemeral === true && stat.ephemeralOwner === client.sessionId;
    return isOurs ? { kind: 'happened', created: { path, stat } } : UNKNOWN;
  }
  // The pzxid of the parent is that of the last create or delete of a child.
  const parent = await client.exists(parentPath(path));
  return parent !== null && parent.pzxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
}
