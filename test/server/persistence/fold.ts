import { nodeDigest, TreeDigest } from '../../../src/files/digest.js';
import type { Txn, TxnEntry, TxnHead } from '../../../src/files/txn.js';
import { type TxnData, textOf } from '../../../src/files/txn-data.js';
import { containerOwner, ttlOwner } from '../../../src/protocol/create-mode.js';
import type { ACL, StatPersisted } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { BLANK_STAT } from '../../support/bytes/blank-stat.js';
import { ByteBuilder } from '../../support/bytes/zk-files.js';

export interface FoldNode {
  readonly data: Buffer | null;
  readonly acl: readonly ACL[];
  readonly stat: StatPersisted;
}

const OPEN = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

/** The simplest possible tree: the effects of txns, and the resulting digest. */
export class Fold {
  readonly nodes = new Map<string, FoldNode>();
  readonly sessions = new Map<bigint, number>();
  zxid = 0n;

  constructor() {
    const empty = { data: Buffer.alloc(0), acl: OPEN, stat: BLANK_STAT };
    for (const path of ['', '/zookeeper', '/zookeeper/quota', '/zookeeper/config']) {
      this.nodes.set(path, empty);
    }
  }

  apply({ head, txn }: TxnEntry): void {
    this.zxid = head.zxid;
    const parts = txn.type === OpCode.multi ? txn.txns : [txn];
    if (parts.some(({ type }) => type === OpCode.error)) return;
    for (const part of parts) this.applyPart(head, part);
  }

  private applyPart(header: TxnHead, body: Txn): void {
    switch (body.type) {
      case OpCode.create:
      case OpCode.create2:
        this.create(header, body, body.isEphemeral ? header.sessionId : 0n);
        break;
      case OpCode.createContainer:
        this.create(header, body, containerOwner());
        break;
      case OpCode.createTTL:
        this.create(header, body, ttlOwner(body.ttl));
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.delete(header.zxid, body.path);
        break;
      case OpCode.setData: {
        const { zxid: mzxid, time: mtime } = header;
        const { version } = body;
        const data = bytesOf(body.data);
        this.change(body.path, (node) => ({
          ...node,
          data,
          stat: { ...node.stat, version, mzxid, mtime },
        }));
        break;
      }
      case OpCode.setACL: {
        const { acl, version: aversion } = body;
        this.change(body.path, (node) => ({
          ...node,
          acl,
          stat: { ...node.stat, aversion },
        }));
        break;
      }
      case OpCode.createSession:
        this.sessions.set(header.sessionId, body.timeoutMs);
        break;
      case OpCode.closeSession:
        this.sessions.delete(header.sessionId);
        for (const path of body.paths ?? []) this.delete(header.zxid, path);
    }
  }

  private create(
    { zxid, time }: TxnHead,
    body: { path: string; data: TxnData; acl: readonly ACL[]; parentCVersion: number },
    ephemeralOwner: bigint,
  ): void {
    const { path, acl, parentCVersion: cversion } = body;
    const data = bytesOf(body.data);
    const marks = { czxid: zxid, mzxid: zxid, pzxid: zxid, ctime: time, mtime: time };
    this.nodes.set(path, { data, acl, stat: { ...BLANK_STAT, ...marks, ephemeralOwner } });
    this.change(parentOf(path), (parent) => ({
      ...parent,
      stat: { ...parent.stat, cversion, pzxid: zxid },
    }));
  }

  private delete(pzxid: bigint, path: string): void {
    this.nodes.delete(path);
    this.change(parentOf(path), (parent) => ({ ...parent, stat: { ...parent.stat, pzxid } }));
  }

  private change(path: string, update: (node: FoldNode) => FoldNode): void {
    const node = this.nodes.get(path);
    if (node === undefined) throw new Error(`no znode ${path}`);
    this.nodes.set(path, update(node));
  }

  digest(): bigint {
    const sum = new TreeDigest();
    for (const [path, { data, stat }] of this.nodes) {
      sum.add(nodeDigest(path, data, digestStat(stat)));
    }
    return sum.value;
  }
}

/** The 60 bytes that a digest covers, in its order. */
export function digestStat(stat: StatPersisted): Buffer {
  return new ByteBuilder()
    .long(stat.czxid)
    .long(stat.mzxid)
    .long(stat.pzxid)
    .long(stat.ctime)
    .long(stat.mtime)
    .int(stat.version)
    .int(stat.cversion)
    .int(stat.aversion)
    .long(stat.ephemeralOwner)
    .build();
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function bytesOf(data: TxnData): Buffer | null {
  const text = textOf(data);
  return text === null ? null : Buffer.from(text, 'latin1');
}
