import type { Txn, TxnHead } from '../../src/files/txn.js';
import { type TxnData, textOf } from '../../src/files/txn-data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { parentPath } from '../../src/protocol/path.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import { EventType, type WatchedEvent } from './clients/watched-event.js';
import { hex, Violation } from './violation.js';

/** The first value is the static configuration, which no txn made. */
export const CONFIG = '/zookeeper/config';

interface Change {
  readonly zxid: bigint;
  /** Null if the znode does not exist. */
  readonly data: string | null;
}

export interface LedgerEvent extends WatchedEvent {
  readonly zxid: bigint;
}

/** The history of every znode according to the committed txns. Reads and watches must match it. */
export class ZnodeHistory {
  private readonly values = new Map<string, Change[]>();
  private readonly children = new Map<string, bigint[]>();
  /** The events of all txns, in order. */
  private readonly events: LedgerEvent[] = [];
  /** The owner of each ephemeral. */
  private readonly owners = new Map<string, bigint>();
  /** Txns known only by their combined effect. */
  readonly unseen: { readonly from: bigint; readonly to: bigint }[] = [];

  constructor() {
    this.values.set(CONFIG, [{ zxid: 0n, data: '' }]);
  }

  /** The tree at `zxid` shows the effect of the unknown txns. */
  adopt(tree: DataTree, zxid: bigint): void {
    const gone = new Set(this.values.keys());
    this.owners.clear();
    for (const node of tree.walk()) {
      const path = tree.pathOf(node);
      const { mzxid, pzxid } = tree.statOf(node);
      gone.delete(path);
      const data = tree.dataOf(node) ?? '';
      this.note(path, mzxid, data);
      this.noteChildren(path, pzxid);
    }
    for (const [session, paths] of tree.sessionsWithEphemerals()) {
      for (const path of paths) this.owners.set(path, BigInt.asIntN(64, BigInt(`0x${session}`)));
    }
    // One of the unknown txns deleted it.
    for (const path of gone) this.note(path, zxid, null);
  }

  /** A membership is in force without its txn: each server shows it when it hears of it. */
  activate(text: string, version: bigint, last: bigint): void {
    this.note(CONFIG, version, text);
    this.unseen.push({ from: last - 1n, to: version });
  }

  /** Whether [from, to] contains an unknown txn. */
  isUnseenBetween(from: bigint, to: bigint): boolean {
    return this.unseen.some((range) => range.from < to && range.to >= from);
  }

  /** The events of the txns after `from`, up to `to`, in order. */
  *eventsBetween(from: bigint, to: bigint): Generator<LedgerEvent> {
    let low = 0;
    for (let high = this.events.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.events[middle]?.zxid ?? 0n) > from) high = middle;
      else low = middle + 1;
    }
    for (let at = low; at < this.events.length; at++) {
      const event = this.events[at] as LedgerEvent;
      if (event.zxid > to) return;
      yield event;
    }
  }

  /** The last change of the children of a znode up to `zxid`, including its own creation. */
  pzxidAt(path: string, zxid: bigint): bigint {
    return (this.children.get(path) ?? []).findLast((at) => at <= zxid) ?? 0n;
  }

  /** The children of a znode at `zxid`, or undefined if unknown. */
  childrenAt(path: string, zxid: bigint): string[] | undefined {
    if (this.isUnseenBetween(zxid, zxid)) return undefined;
    const prefix = path === '/' ? '/' : `${path}/`;
    const names: string[] = [];
    for (const known of this.values.keys()) {
      if (!known.startsWith(prefix) || known.includes('/', prefix.length)) continue;
      const change = this.valueAt(known, zxid);
      if (change !== undefined && change.data !== null) names.push(known.slice(prefix.length));
    }
    return names.sort();
  }

  /** The ephemerals of a session now. */
  ephemeralsOf(sessionId: bigint): string[] {
    return [...this.owners].filter(([, owner]) => owner === sessionId).map(([path]) => path);
  }

  /** The value that a read at `zxid` must show, or undefined if unknown. */
  valueAt(path: string, zxid: bigint): Change | undefined {
    return (this.values.get(path) ?? []).findLast((change) => change.zxid <= zxid);
  }

  /** A txn is committed. */
  follow(head: TxnHead, txn: Txn): void {
    const { zxid } = head;
    switch (txn.type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        this.create(head, txn);
        break;
      case OpCode.setData:
        this.note(txn.path, zxid, textOf(txn.data) ?? '');
        this.happened(zxid, EventType.dataChanged, txn.path);
        break;
      case OpCode.reconfig:
        this.note(CONFIG, zxid, textOf(txn.data) ?? '');
        this.happened(zxid, EventType.dataChanged, CONFIG);
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.drop(txn.path, zxid);
        break;
      case OpCode.closeSession:
        this.close(head, txn.paths ?? []);
        break;
      case OpCode.multi:
        if (isRefusal(txn)) break;
        for (const part of txn.txns) this.follow(head, part);
        break;
      default:
        break;
    }
  }

  private create(
    { zxid, sessionId }: TxnHead,
    { path, data, isEphemeral }: { path: string; data: TxnData; isEphemeral: boolean },
  ): void {
    if ((this.values.get(path)?.at(-1)?.data ?? null) !== null) {
      throw new Violation(`${hex(zxid)} creates ${path}, which exists`);
    }
    this.note(path, zxid, textOf(data) ?? '');
    this.noteChildren(path, zxid);
    if (isEphemeral) this.owners.set(path, sessionId);
    this.noteChildren(parentPath(path), zxid);
    this.happened(zxid, EventType.created, path);
    this.happened(zxid, EventType.childrenChanged, parentPath(path));
  }

  /** The txn lists the ephemerals of the session at that time, each once. */
  private close({ zxid, sessionId }: TxnHead, paths: readonly string[]): void {
    const owned = this.ephemeralsOf(sessionId).sort().join(' ');
    const listed = [...paths].sort().join(' ');
    if (owned !== listed) {
      throw new Violation(
        `${hex(zxid)} closes a session that owns "${owned}", and lists "${listed}"`,
      );
    }
    for (const path of paths) this.drop(path, zxid);
  }

  private drop(path: string, zxid: bigint): void {
    if ((this.values.get(path)?.at(-1)?.data ?? null) === null && this.unseen.length === 0) {
      throw new Violation(`${hex(zxid)} deletes ${path}, which does not exist`);
    }
    this.note(path, zxid, null);
    this.owners.delete(path);
    this.noteChildren(parentPath(path), zxid);
    this.happened(zxid, EventType.deleted, path);
    this.happened(zxid, EventType.childrenChanged, parentPath(path));
  }

  private happened(zxid: bigint, type: EventType, path: string): void {
    this.events.push({ zxid, type, path });
  }

  private note(path: string, zxid: bigint, data: string | null): void {
    const changes = this.values.get(path) ?? [];
    const last = changes.at(-1)?.zxid ?? -1n;
    if (last > zxid) return;
    // A multi may change it more than once.
    if (last === zxid) changes.pop();
    changes.push({ zxid, data });
    this.values.set(path, changes);
  }

  private noteChildren(path: string, zxid: bigint): void {
    const changes = this.children.get(path) ?? [];
    if ((changes.at(-1) ?? -1n) >= zxid) return;
    changes.push(zxid);
    this.children.set(path, changes);
  }
}

/** Whether it changes nothing. A late request on an old connection is refused so. */
export function isRefusal(txn: Txn): boolean {
  if (txn.type === OpCode.multi) return txn.txns.some(isRefusal);
  return txn.type === OpCode.error;
}
