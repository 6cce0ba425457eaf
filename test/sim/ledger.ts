import { OpCode } from '../../src/protocol/op-code.js';
import { zxidCounter, zxidEpoch } from '../../src/protocol/zxid.js';
import type { QuorumConfig } from '../../src/server/quorum/membership/quorum-config.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import { readTxn, type TxnHead } from '../../src/server/tree/txn.js';
import { parse } from './shape.js';
import { hex, Violation } from './violation.js';
import type { Delivered } from './watched-peer.js';
import { CONFIG, isRefusal, ZnodeHistory } from './znode-history.js';

/**
 * What is committed, once and for ever: whoever commits a txn first writes it down here, and all
 * others must commit the same one, in the same place. It follows the values of znodes by itself.
 */
export class Ledger {
  private readonly entries = new Map<bigint, Buffer>();
  /** Their place in the order of commits. */
  private readonly places = new Map<bigint, number>();
  private readonly digests = new Map<bigint, { readonly digest: bigint; readonly sid: number }>();
  private readonly leaders = new Map<bigint, number>();
  readonly znodes = new ZnodeHistory();
  /** The last request of each session that was done. */
  private readonly cxids = new Map<bigint, number>();
  /** Sessions that more than one client has used. */
  readonly shared = new Set<bigint>();
  /** The last txn that is committed. */
  last = 0n;
  /** The memberships that were committed, by the zxids that made them. */
  private readonly configs: QuorumConfig[];
  /** Configurations that were found right. */
  private readonly known = new WeakSet<QuorumConfig>();
  private readonly sessions = new Set<bigint>();
  private readonly strangers = new Set<bigint>();

  private readonly first: bigint;

  /** @param first the last txn of the data that all start with */
  constructor(config: QuorumConfig, first: bigint) {
    this.configs = [config];
    this.first = first;
  }

  get reconfigs(): number {
    return this.configs.length - 1;
  }

  get localSessions(): number {
    return this.strangers.size;
  }

  /** Who must have the txn on their disks: a quorum of each. A reconfig needs one of both. */
  configsFor(zxid: bigint): QuorumConfig[] {
    const before = this.configs.findLast(({ version }) => version < zxid);
    const now = this.configs.findLast(({ version }) => version <= zxid);
    return [...new Set([before, now])].filter((config) => config !== undefined);
  }

  describeConfigs(zxid: bigint): string {
    const texts = this.configsFor(zxid).map(({ version, members }) => {
      return `${rolesIn(members)} since ${hex(version)}`;
    });
    return texts.join(' and of ');
  }

  /** A membership is in force at a server: one that was committed, or that of the beginning. */
  checkConfig(sid: number, config: QuorumConfig): void {
    if (this.known.has(config)) return;
    const { version, members } = config;
    const isFirst = zxidCounter(version) === 0;
    const committed = isFirst
      ? this.configs[0]
      : this.configs.find((config) => config.version === version);
    const isUnseen = this.znodes.unseen.some(({ from, to }) => version > from && version <= to);
    if (committed === undefined && isUnseen) return;
    const expected = committed === undefined ? 'none' : rolesIn(committed.members);
    const isJoiner = version === 0n && !committed?.members.has(sid);
    if (isJoiner || expected === rolesIn(members)) {
      this.known.add(config);
      return;
    }
    const found = `${rolesIn(members)} of version ${hex(version)}`;
    throw new Violation(`server ${sid} has the members ${found}, not ${expected}`);
  }

  get size(): number {
    return this.entries.size;
  }

  /** @returns whether it is the first time that the txn is committed */
  commit(sid: number, { zxid, entry }: Delivered): boolean {
    const known = this.entries.get(zxid);
    if (known !== undefined) {
      if (!known.equals(entry)) {
        throw new Violation(`server ${sid} commits another txn at ${hex(zxid)} than before`);
      }
      return false;
    }
    if (this.znodes.unseen.some(({ from, to }) => zxid > from && zxid <= to)) return false;
    if (zxid <= this.last) {
      throw new Violation(`server ${sid} commits ${hex(zxid)} behind ${hex(this.last)}`);
    }
    this.places.set(zxid, this.places.size);
    this.entries.set(zxid, entry);
    this.last = zxid;
    const { head, txn } = readTxn(entry);
    if (!isRefusal(txn)) this.checkOrder(head);
    if (txn.type === OpCode.createSession) this.sessions.add(head.sessionId);
    if (txn.type === OpCode.reconfig) this.adoptNext(txn.data ?? '', zxid);
    this.znodes.follow(head, txn);
    return true;
  }

  /** The requests of a session take effect in the order sent, unless two clients share it. */
  private checkOrder({ sessionId, cxid, zxid }: TxnHead): void {
    if (cxid <= 0 || this.shared.has(sessionId)) return;
    const before = this.cxids.get(sessionId) ?? 0;
    if (cxid <= before) {
      throw new Violation(`${hex(zxid)} is request ${cxid} of a session, done after ${before}`);
    }
    this.cxids.set(sessionId, cxid);
  }

  /** Does `next` come right behind `before` in the order of commits? Unknown ones may. */
  isNext(before: bigint, next: bigint): boolean {
    const place = this.places.get(before);
    const nextPlace = this.places.get(next);
    return place === undefined || nextPlace === undefined || nextPlace === place + 1;
  }

  /** Takes the place of txns that came to a leader in a snapshot alone: their effects are known. */
  adopt(tree: DataTree, zxid: bigint): void {
    if (zxid <= this.last || zxidCounter(zxid) === 0) return;
    this.znodes.unseen.push({ from: this.last, to: zxid });
    this.last = zxid;
    const text = tree.get(CONFIG)?.data;
    if (typeof text === 'string' && text !== '') this.adoptConfig(parse(text));
    this.znodes.adopt(tree, zxid);
  }

  private adoptNext(text: string, zxid: bigint): void {
    const config = parse(text);
    if (config.version !== zxid) throw new Violation(`${hex(zxid)} makes another version`);
    this.configs.push(config);
  }

  private adoptConfig(config: QuorumConfig): void {
    const { version } = this.configs.at(-1) as QuorumConfig;
    if (zxidCounter(config.version) !== 0 && config.version > version) this.configs.push(config);
  }

  /** Trees at the same zxid must be the same. */
  compareDigest(sid: number, zxid: bigint, digest: bigint): void {
    const known = this.digests.get(zxid);
    if (known === undefined) {
      this.digests.set(zxid, { digest, sid });
    } else if (known.digest !== digest) {
      throw new Violation(`servers ${known.sid} and ${sid} have different trees at ${hex(zxid)}`);
    }
  }

  /** The last txn that was committed in an epoch before this one. */
  lastBefore(epoch: number): bigint {
    if (zxidEpoch(this.last) < epoch) return this.last;
    let last = 0n;
    for (const zxid of this.entries.keys()) {
      if (zxidEpoch(zxid) < epoch && zxid > last) last = zxid;
    }
    return last;
  }

  /** An epoch has one leader, ever. */
  own(sid: number, epoch: bigint): void {
    const owner = this.leaders.get(epoch) ?? sid;
    if (owner !== sid) {
      throw new Violation(`epoch ${epoch} is led by server ${sid}, and was by server ${owner}`);
    }
    this.leaders.set(epoch, sid);
  }

  /** Is it a session that a txn opened? Unknown where a leader took txns in a snapshot alone. */
  isGlobal(sessionId: bigint): boolean {
    return this.sessions.has(sessionId);
  }

  private isLocal(sessionId: bigint): boolean {
    return !this.sessions.has(sessionId) && this.znodes.unseen.every(({ to }) => to <= this.first);
  }

  /** A client was told that its write is done. */
  acknowledged(sessionId: bigint, cxid: number, zxid: bigint): void {
    const entry = this.entries.get(zxid);
    if (entry === undefined) {
      throw new Violation(`a write was acknowledged at ${hex(zxid)}, where none is committed`);
    }
    const { head } = readTxn(entry);
    if (this.isLocal(sessionId)) this.strangers.add(sessionId);
    if (head.sessionId !== sessionId || head.cxid !== cxid) {
      throw new Violation(`a write was acknowledged with the txn ${hex(zxid)} of somebody else`);
    }
  }
}

/** "1 2 (3)": two that vote, one that observes. */
function rolesIn(members: QuorumConfig['members']): string {
  const names = [...members].map(([sid, { role }]) =>
    role === 'observer' ? `(${sid})` : `${sid}`,
  );
  return names.sort().join(' ');
}
