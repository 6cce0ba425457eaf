import { ACCEPTED_EPOCH_FILE, CURRENT_EPOCH_FILE, decodeEpoch } from '../../src/files/epochs.js';
import { isSuccessor } from '../../src/files/recovery.js';
import { zxidEpoch } from '../../src/protocol/zxid.js';
import { containsQuorum } from '../../src/server/quorum/membership/quorum-config.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import type { Delivered, WatchedPeer } from './clients/watched-peer.js';
import type { Ledger } from './ledger.js';
import type { ServerNode } from './nodes/server-node.js';
import type { SimOracle } from './nodes/sim-oracle.js';
import { holds, storedZxid } from './nodes/stored-zxid.js';
import { StateChecks } from './state-checks.js';
import { hex, Violation } from './violation.js';

/** Two znodes that are only ever set together. */
export const TWINS = ['/twin-a', '/twin-b'] as const;

/** The txns that one member has delivered since its role began. */
interface Progress {
  /** Committed by a leader in an epoch that is not yet known to be established. */
  waiting: Delivered[];
  last: bigint;
  role: object | null;
  isEstablished: boolean;
  comparedTurns: number;
  comparedZxid: bigint;
}

/** In turns of a member that serves. */
const COMPARED_EVERY = 12;

/** The invariants that every server must meet at the end of each turn. */
export class Checks {
  private readonly ledger: Ledger;
  private readonly nodes: () => Iterable<ServerNode>;
  private readonly progress = new Map<number, Progress>();

  private readonly oracle: Pick<SimOracle, 'holder'> | null;
  readonly state: StateChecks;
  /** Trees that no server has shown yet. */
  private isEmpty = true;

  constructor(
    ledger: Ledger,
    nodes: () => Iterable<ServerNode>,
    oracle: Pick<SimOracle, 'holder'> | null = null,
  ) {
    this.ledger = ledger;
    this.nodes = nodes;
    this.oracle = oracle;
    this.state = new StateChecks(ledger);
  }

  /** A server has read its data. The first one shows what all begin with. */
  started({ sid, peer }: ServerNode): void {
    if (peer === null) return;
    const { tree, sessions } = peer.data;
    if (this.isEmpty) this.ledger.state.adopt(tree, sessions, tree.lastProcessedZxid);
    this.isEmpty = false;
    this.state.recovered(`server ${sid} starts`, peer.data);
  }

  wroteSnapshot({ sid, disk, lastReal }: ServerNode, file: string): void {
    const bytes = disk.kept(file);
    if (bytes === undefined || !this.ledger.knows(lastReal)) return;
    this.state.written(`server ${sid}`, file, bytes, this.ledger.last);
  }

  delivered(node: ServerNode, txn: Delivered): void {
    const { peer } = node;
    if (peer === null || peer.isEnding) return;
    const progress = this.progressOf(node);
    if (!peer.isEstablished) {
      progress.waiting.push(txn);
      return;
    }
    this.establish(node, progress);
    this.commit(node, progress, txn);
  }

  leads(node: ServerNode): void {
    this.establish(node, this.progressOf(node));
    const { peer } = node;
    if (peer !== null) this.checkEstablished(node, peer.currentEpoch);
    const next = peer?.membership.next ?? null;
    if (peer !== null && next !== null) this.ledger.activateProposed(next, peer.currentEpoch);
  }

  /** A proposal of a leader that crashes in the same turn may have left it. */
  decided({ peer }: ServerNode): void {
    if (peer?.isLeading !== true) return;
    const { next } = peer.membership;
    if (next !== null && zxidEpoch(next.version) === peer.currentEpoch) this.ledger.propose(next);
  }

  turned(node: ServerNode): void {
    const { peer } = node;
    if (peer === null) return;
    const progress = this.progressOf(node);
    this.checkEpochs(node);
    if (!peer.isEstablished) return;
    this.establish(node, progress);
    this.checkConfig(node.sid, peer);
    const { tree } = peer.data;
    this.checkMismatches(node.sid, peer);
    if (!peer.isSpoilt)
      this.ledger.compareDigest(node.sid, tree.lastProcessedZxid, tree.digest.value);
    this.checkTree(node, tree);
    if (!peer.isSpoilt) this.compareSometimes(node, progress, peer);
  }

  /** A whole tree costs more than a turn, so not each is compared. */
  private compareSometimes({ sid }: ServerNode, progress: Progress, peer: WatchedPeer): void {
    const { tree } = peer.data;
    const isDue = progress.comparedTurns++ % COMPARED_EVERY === 0;
    if (!isDue || tree.lastProcessedZxid === progress.comparedZxid) return;
    progress.comparedZxid = tree.lastProcessedZxid;
    const sessions = peer.server.state.sessions.values();
    this.state.compare(`server ${sid}`, { tree, sessions }, !peer.isLeading);
  }

  private checkConfig(sid: number, { membership, isLeading, currentEpoch }: WatchedPeer): void {
    const { config } = membership;
    if (isLeading) this.ledger.activateProposed(config, currentEpoch);
    this.ledger.checkConfig(sid, config);
  }

  private progressOf(node: ServerNode): Progress {
    const role = node.peer?.role ?? null;
    const known = this.progress.get(node.sid);
    if (known !== undefined && known.role === role) return known;
    const compared = { comparedTurns: 0, comparedZxid: -1n };
    const begun = { waiting: [], last: 0n, role, isEstablished: false, ...compared };
    this.progress.set(node.sid, begun);
    return begun;
  }

  /** From now on, all txns of its log are committed. */
  private establish(node: ServerNode, progress: Progress): void {
    const { peer, sid } = node;
    if (progress.isEstablished || peer === null) return;
    progress.isEstablished = true;
    if (peer.isLeading) {
      this.ledger.own(sid, BigInt(peer.currentEpoch));
      const due = this.ledger.lastBefore(peer.currentEpoch);
      if (node.lastReal < due) {
        const lacks = `up to ${hex(due)} (has ${hex(node.lastReal)})`;
        throw new Violation(
          `server ${sid} leads epoch ${peer.currentEpoch} but lacks txns ${lacks}`,
        );
      }
      // A late ack may establish an epoch after its quorum has promised a later one.
      const isLate = zxidEpoch(this.ledger.last) > peer.currentEpoch;
      if (!isLate) this.adoptHistory(node, peer);
    }
    this.checkInstalled(node);
    for (const txn of progress.waiting) this.commit(node, progress, txn);
    progress.waiting = [];
  }

  private adoptHistory(node: ServerNode, peer: WatchedPeer): void {
    const { sid } = node;
    const entries = peer.log.all;
    const { last } = this.ledger;
    const unknown = entries.filter(({ zxid }) => zxid > last);
    const [next] = unknown;
    // Some came in a snapshot and are in no log, so the ledger learns their effects from the tree.
    const isWhole = unknown.length < entries.length || (next && isSuccessor(last, next.zxid));
    if (isWhole) for (const txn of unknown) this.ledger.commit(sid, txn);
    this.ledger.adopt(peer.data, node.lastReal);
    for (const txn of entries) this.ledger.commit(sid, txn);
    this.checkStored();
  }

  private commit(node: ServerNode, progress: Progress, txn: Delivered): void {
    const { peer, sid } = node;
    const isFirst = this.ledger.commit(sid, txn);
    if (!this.ledger.isNext(progress.last, txn.zxid)) {
      throw new Violation(
        `server ${sid} commits ${hex(txn.zxid)} after ${hex(progress.last)} and omits txns`,
      );
    }
    progress.last = txn.zxid;
    if (!isFirst || peer?.isLeading !== true) return;
    this.checkDurable(txn);
    const ackers = node.sockets.acks.ackersOf(txn.zxid).add(sid);
    this.mustBeQuorum(`${hex(txn.zxid)} is committed`, txn.zxid, ackers);
  }

  /** Who acked decides, and not whose disk happens to have it. */
  private mustBeQuorum(what: string, zxid: bigint, sids: ReadonlySet<number>): void {
    if (this.isQuorum(zxid, sids)) return;
    const asked = this.ledger.describeConfigs(zxid);
    throw new Violation(`${what} but was acked only by ${[...sids].join(', ')}, of ${asked}`);
  }

  /** A leader needs the promises of a quorum that is not ahead of it, and its acks of NEWLEADER. */
  private checkEstablished(node: ServerNode, epoch: number): void {
    const { sid, sockets, peer } = node;
    if (peer === null || peer.offer === null || this.oracle !== null) return;
    const { config } = peer.membership;
    const promised = sockets.acks.promised(epoch, peer.offer).add(sid);
    const inSync = sockets.acks.inSync(epoch).add(sid);
    for (const [what, sids] of [
      ['promises', promised],
      ['acks of NEWLEADER', inSync],
    ] as const) {
      if (containsQuorum(config, sids)) continue;
      const found = [...sids].join(', ');
      throw new Violation(`server ${sid} leads epoch ${epoch} by the ${what} of only ${found}`);
    }
  }

  /** A committed txn is on the disks of a quorum. A write in flight does not count. */
  private checkDurable({ zxid, entry }: Delivered): void {
    const holders = new Set<number>();
    for (const { sid, disk } of this.nodes()) if (holds(disk.files, zxid, entry)) holders.add(sid);
    if (!this.isQuorum(zxid, holders)) {
      const found = [...holders].join(', ') || 'none';
      const asked = this.ledger.describeConfigs(zxid);
      throw new Violation(
        `${hex(zxid)} is committed but only on the disks of ${found}, of ${asked}`,
      );
    }
  }

  /** The disk of a server that may go on alone is enough. */
  private isQuorum(zxid: bigint, holders: ReadonlySet<number>): boolean {
    if (this.oracle != null && holders.has(this.oracle.holder ?? -1)) return true;
    return this.ledger.configsFor(zxid).every((config) => containsQuorum(config, holders));
  }

  /** A committed txn stays on the disks of a quorum. */
  private checkStored(): void {
    const { last } = this.ledger;
    const holders = [...this.nodes()].filter(({ disk }) => storedZxid(disk.files) >= last);
    if (this.isQuorum(last, new Set(holders.map(({ sid }) => sid)))) return;
    const found = holders.map(({ sid }) => sid).join(', ') || 'none';
    const asked = this.ledger.describeConfigs(last);
    throw new Violation(
      `${hex(last)} was committed but is only on the disks of ${found}, of ${asked}`,
    );
  }

  /** A learner acks a snapshot only when it is on the disk. */
  private checkInstalled({ sid, disk, replacedZxid }: ServerNode): void {
    const stored = storedZxid(disk.files);
    if (stored >= replacedZxid) return;
    throw new Violation(
      `server ${sid} acked the snapshot ${hex(replacedZxid)} but stored ${hex(stored)}`,
    );
  }

  /** A server uses an epoch only when its file is on the disk. */
  private checkEpochs({ sid, peer, disk }: ServerNode): void {
    for (const name of [ACCEPTED_EPOCH_FILE, CURRENT_EPOCH_FILE] as const) {
      const known = peer?.[name] ?? 0;
      const stored = decodeEpoch(disk.kept(name)?.toString() ?? '');
      if (stored === undefined || stored >= known) continue;
      throw new Violation(`server ${sid} uses ${name} ${known} but stored ${stored}`);
    }
  }

  /** A repair would hide that two servers apply a txn differently. */
  private checkMismatches(sid: number, { metrics, wasSpoilt }: WatchedPeer): void {
    const count = metrics.counted('digest_mismatches_count');
    if (count > 0 && !wasSpoilt) {
      throw new Violation(`server ${sid} found ${count} digests that differ from its leader's`);
    }
  }

  private checkTree({ sid, peer }: ServerNode, tree: DataTree): void {
    const [a, b] = TWINS.map((path) => tree.dataAt(path));
    if (a !== undefined && b !== undefined && a !== b)
      throw new Violation(`server ${sid} applied one half of a multi`);
    const sessions = peer?.server.state.sessions;
    for (const [id, paths] of tree.sessionsWithEphemerals()) {
      if (paths.size === 0) continue;
      if (sessions?.get(BigInt.asIntN(64, BigInt(`0x${id}`))) !== undefined) continue;
      throw new Violation(`server ${sid} has ${[...paths][0]}, but its session 0x${id} has ended`);
    }
  }
}
