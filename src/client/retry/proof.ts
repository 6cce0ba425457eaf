/**
 * Decides whether a write without a reply happened. A Stat proves that it did not: the znode has
 * not changed since the request, by its zxids. The sync before the read waits for everything that
 * the session sent before. A leader refuses what the session still sends on an older connection.
 */
import type { CreateMode } from '../../protocol/create-mode.js';
import type { Stat } from '../../protocol/data.js';
import { parentPath } from '../../protocol/path.js';
import type { CallOptions, CreateResult, Op, ZooKeeperClient } from '../base/client.js';

/** A write, and the newest zxid that the client knew when it sent it. */
export interface SentWrite {
  readonly op: Op | { readonly op: 'setACL'; readonly path: string; readonly version: number };
  readonly zxid: bigint;
}

type Create = Extract<Op, { readonly op: 'create' }>;

export type Outcome =
  | { readonly kind: 'did-not-happen' }
  /** Only for an ephemeral: its owner identifies it. */
  | { readonly kind: 'happened'; readonly created: CreateResult }
  | { readonly kind: 'unknown' };

const DID_NOT_HAPPEN: Outcome = { kind: 'did-not-happen' };
const UNKNOWN: Outcome = { kind: 'unknown' };

/**
 * @param limits of each request
 * @throws ZooKeeperError of a lost connection, or of a refused read
 */
export async function determineOutcome(
  client: ZooKeeperClient,
  { op, zxid }: SentWrite,
  limits: CallOptions,
): Promise<Outcome> {
  // 0: the client does not know any zxid.
  if (zxid === 0n) return UNKNOWN;
  await client.sync(op.path, limits);
  const stat = await client.exists(op.path, limits);
  switch (op.op) {
    case 'create':
      return outcomeOfCreate(client, { op, zxid }, stat, limits);
    case 'set':
      return stat !== null && stat.mzxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
    case 'delete':
      return stat !== null && stat.czxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
    case 'setACL': {
      // A Stat has no zxid of the last setACL, but aversion counts them.
      const isSame = stat !== null && stat.czxid <= zxid && stat.aversion === op.version;
      return isSame ? DID_NOT_HAPPEN : UNKNOWN;
    }
    case 'check':
      return DID_NOT_HAPPEN;
  }
}

async function outcomeOfCreate(
  client: ZooKeeperClient,
  { op: { path, options }, zxid }: { readonly op: Create; readonly zxid: bigint },
  stat: Stat | null,
  limits: CallOptions,
): Promise<Outcome> {
  const mode: CreateMode | undefined = options?.mode;
  if (mode?.isSequential !== true && stat !== null) {
    // An older znode makes the repeated create fail.
    if (stat.czxid <= zxid) return DID_NOT_HAPPEN;
    const isOwnEphemeral = mode?.isEphemeral === true && stat.ephemeralOwner === client.sessionId;
    return isOwnEphemeral ? { kind: 'happened', created: { path, stat } } : UNKNOWN;
  }
  // The parent's pzxid is the zxid of the last create or delete of a child.
  const parent = await client.exists(parentPath(path), limits);
  return parent !== null && parent.pzxid <= zxid ? DID_NOT_HAPPEN : UNKNOWN;
}
