/**
 * A naive tree to compare with the server's: a Map, plain objects, bigints, and a digest that is
 * computed from scratch each time. It shares no code with src/server.
 */

import type { CreateNodeTxn, Txn, TxnHead } from '../../src/files/txn.js';
import { textOf } from '../../src/files/txn-data.js';
import type { ACL, StatRecord } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import { crc32 } from './naive-crc.js';

export interface NaiveNode {
  data: string | null;
  acl: readonly ACL[];
  czxid: bigint;
  mzxid: bigint;
  ctime: bigint;
  mtime: bigint;
  version: number;
  /** Counts creates only, as stored. */
  cversion: number;
  aversion: number;
  /** As stored: a session, or the mark of a container or a TTL znode. */
  owner: bigint;
  pzxid: bigint;
}

export type OwnerKind = 'none' | 'container' | 'ttl' | 'session';

const CONTAINER = -(2n ** 63n);
const TTL_MASK = 2n ** 40n - 1n;
const QUOTA = '/zookeeper/quota';

export class NaiveTree {
  /** In the order of creation. */
  readonly nodes = new Map<string, NaiveNode>();
  private readonly limited = new Set<string>();

  /** Adds a znode unchanged; add its parent first. */
  seed(path: string, node: Partial<NaiveNode>): void {
    this.nodes.set(path, { ...EMPTY, ...node });
  }

  /** Computes the quota counts after the last seed. */
  seeded(): void {
    for (const path of this.nodes.keys()) this.followQuota(path);
  }

  /** Forgets all znodes, and their quotas. */
  clear(): void {
    this.nodes.clear();
    this.limited.clear();
  }

  /** Seeds a znode whose quota is counted already. */
  seedCounted(path: string, node: Partial<NaiveNode>): void {
    this.seed(path, node);
    const owner = quotaOwner(path, 'zookeeper_limits');
    if (owner !== undefined) this.limited.add(owner);
  }

  childrenOf(path: string): string[] {
    return [...this.nodes.keys()].filter((child) => child !== '/' && parentOf(child) === path);
  }

  ephemeralsOf(session: bigint): string[] {
    return [...this.nodes].flatMap(([path, { owner }]) =>
      kindOf(owner) === 'session' && owner === session ? [path] : [],
    );
  }

  /** Applies one part of a txn, never a multi. */
  applyPart(head: TxnHead, txn: Txn): void {
    switch (txn.type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        this.create(head, txn);
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.delete(txn.path, head.zxid);
        break;
      case OpCode.setData: {
        const node = this.nodes.get(txn.path);
        if (node === undefined) break;
        const { version } = txn;
        const data = textOf(txn.data);
        this.count(txn.path, lengthOf(data) - lengthOf(node.data), 0);
        Object.assign(node, { data, version, mzxid: head.zxid, mtime: head.time });
        break;
      }
      case OpCode.setACL: {
        const node = this.nodes.get(txn.path);
        if (node !== undefined) Object.assign(node, { acl: txn.acl, aversion: txn.version });
        break;
      }
      case OpCode.closeSession:
        for (const path of txn.paths ?? []) this.delete(path, head.zxid);
        for (const path of this.ephemeralsOf(head.sessionId)) this.delete(path, head.zxid);
        break;
      default:
    }
  }

  apply(head: TxnHead, txn: Txn): void {
    if (txn.type !== OpCode.multi) this.applyPart(head, txn);
    else if (txn.txns.every(({ type }) => type !== OpCode.error)) {
      for (const part of txn.txns) this.applyPart(head, part);
    }
  }

  private create(head: TxnHead, txn: CreateNodeTxn): void {
    const parent = this.nodes.get(parentOf(txn.path));
    if (parent === undefined) return;
    // Never lowered: this protects a replay over a fuzzy snapshot (DataTree.createNode).
    const asked = txn.parentCVersion;
    const cversion = asked === -1 ? (parent.cversion + 1) | 0 : asked;
    if (cversion > parent.cversion) Object.assign(parent, { cversion, pzxid: head.zxid });
    const existing = this.nodes.get(txn.path);
    if (existing !== undefined) {
      existing.acl = txn.acl;
      return;
    }
    const { zxid, time } = head;
    const made = { czxid: zxid, mzxid: zxid, pzxid: zxid, ctime: time, mtime: time };
    const { acl } = txn;
    const data = textOf(txn.data);
    this.seed(txn.path, { ...made, data, acl, owner: storedOwner(txn, head.sessionId) });
    this.followQuota(txn.path);
    this.count(txn.path, lengthOf(data), 1);
  }

  private delete(path: string, zxid: bigint): void {
    const parent = this.nodes.get(parentOf(path));
    if (parent !== undefined && zxid > parent.pzxid) parent.pzxid = zxid;
    const node = this.nodes.get(path);
    if (node === undefined) return;
    this.nodes.delete(path);
    const owner = quotaOwner(path, 'zookeeper_limits');
    if (owner !== undefined) this.limited.delete(owner);
    this.count(path, -lengthOf(node.data), -1);
  }

  // ── quotas ───────────────────────────────────────────────────────────────────────────────────

  /** The deepest path at or above `path` that has a limit. */
  quotaAbove(path: string): string | undefined {
    return [...this.limited]
      .filter((owner) => path === owner || path.startsWith(`${owner}/`))
      .sort((a, b) => b.length - a.length)[0];
  }

  private followQuota(path: string): void {
    const limited = quotaOwner(path, 'zookeeper_limits');
    if (limited !== undefined) this.limited.add(limited);
    const counted = quotaOwner(path, 'zookeeper_stats');
    if (counted === undefined) return;
    const below = [...this.nodes].filter(
      ([other]) => other === counted || other.startsWith(`${counted}/`),
    );
    const bytes = below.reduce((sum, [, { data }]) => sum + lengthOf(data), 0);
    this.setUsage(counted, below.length, bytes);
  }

  private count(path: string, bytes: number, count: number): void {
    const owner = this.quotaAbove(path);
    if (owner === undefined) return;
    const usage = this.nodes.get(`${QUOTA}${owner}/zookeeper_stats`);
    if (usage === undefined) return;
    this.setUsage(
      owner,
      figureOf(usage.data, 'count') + count,
      figureOf(usage.data, 'bytes') + bytes,
    );
  }

  private setUsage(owner: string, count: number, bytes: number): void {
    const node = this.nodes.get(`${QUOTA}${owner}/zookeeper_stats`);
    if (node !== undefined) node.data = `count=${count},bytes=${bytes}`;
  }

  // ── what a client sees ───────────────────────────────────────────────────────────────────────

  stat(path: string): StatRecord | undefined {
    const node = this.nodes.get(path);
    if (node === undefined) return undefined;
    const { czxid, mzxid, ctime, mtime, version, aversion, pzxid, owner } = node;
    const numChildren = this.childrenOf(path).length;
    return {
      czxid,
      mzxid,
      ctime,
      mtime,
      version,
      cversion: (2 * node.cversion - numChildren) | 0,
      aversion,
      ephemeralOwner: kindOf(owner) === 'session' ? owner : 0n,
      dataLength: lengthOf(node.data),
      numChildren,
      pzxid,
    };
  }

  /** Every znode as one line. */
  dump(): string[] {
    return [...this.nodes]
      .map(([path, node]) => dumpLine(path, node.data, node.acl, this.stat(path)))
      .sort();
  }

  /** As Apache's DigestCalculator: the sum of a CRC-32 for each znode outside /zookeeper/. */
  digest(): bigint {
    let sum = 0n;
    for (const [path, node] of this.nodes) {
      if (path.startsWith('/zookeeper/')) continue;
      const bytes = new ByteBuilder()
        .bytes(Buffer.from(path === '/' ? '' : path))
        .bytes(Buffer.from(node.data ?? '', 'latin1'))
        .long(node.czxid)
        .long(node.mzxid)
        .long(node.pzxid)
        .long(node.ctime)
        .long(node.mtime)
        .int(node.version)
        .int(node.cversion)
        .int(node.aversion)
        .long(node.owner)
        .build();
      sum += BigInt(crc32(bytes));
    }
    return BigInt.asIntN(64, sum);
  }
}

export function dumpLine(
  path: string,
  data: string | null,
  acl: readonly ACL[],
  stat: StatRecord | undefined,
): string {
  const rights = acl.map(({ perms, id }) => `${perms}:${id.scheme}:${id.id}`).join();
  return `${path} ${JSON.stringify(data)} ${rights} ${Object.values(stat ?? {}).join(' ')}`;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function kindOf(owner: bigint): OwnerKind {
  if (owner === 0n) return 'none';
  if (owner === CONTAINER) return 'container';
  return BigInt.asUintN(64, owner) >> 56n === 0xffn ? 'ttl' : 'session';
}

export function ttlOf(owner: bigint): bigint {
  return owner & TTL_MASK;
}

function storedOwner(txn: CreateNodeTxn, session: bigint): bigint {
  if (txn.type === OpCode.createContainer) return CONTAINER;
  if (txn.type === OpCode.createTTL) return BigInt.asIntN(64, (0xffn << 56n) | txn.ttl);
  return txn.isEphemeral ? session : 0n;
}

export function lengthOf(data: string | null): number {
  return data === null ? 0 : data.length;
}

/** The number after `key=`, or -1. */
export function figureOf(data: string | null, key: string): number {
  const found = new RegExp(`(?:^|[,;])${key}=(-?\\d+)(?=[,;]|$)`).exec(data ?? '');
  return found === null ? -1 : Number(found[1]);
}

function quotaOwner(path: string, name: string): string | undefined {
  if (!path.startsWith(`${QUOTA}/`) || !path.endsWith(`/${name}`)) return undefined;
  return path.slice(QUOTA.length, -name.length - 1) || undefined;
}

const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

const EMPTY: NaiveNode = {
  data: '',
  acl: OPEN,
  czxid: 0n,
  mzxid: 0n,
  ctime: 0n,
  mtime: 0n,
  version: 0,
  cversion: 0,
  aversion: 0,
  owner: 0n,
  pzxid: 0n,
};
