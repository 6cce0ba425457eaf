/** The replies of the model: the body as text, applied step by step. */

import type { Txn, TxnHead } from '../../src/files/txn.js';
import { StatRecord } from '../../src/protocol/data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import type { NaiveTree } from './naive-tree.js';

export interface Reply {
  readonly err: number;
  readonly body: Buffer;
}

/** Applies a committed txn to the model's tree and returns the expected reply. */
export function writeReply(tree: NaiveTree, head: TxnHead, txn: Txn): Reply {
  const out = new ByteBuilder();
  if (txn.type === OpCode.error) return { err: txn.err, body: out.build() };
  if (txn.type !== OpCode.multi) {
    tree.apply(head, txn);
    writeResult(out, tree, txn);
    return { err: ErrorCode.OK, body: out.build() };
  }
  const hasFailed = txn.txns.some(({ type }) => type === OpCode.error);
  for (const part of txn.txns) {
    if (!hasFailed) tree.applyPart(head, part);
    if (part.type === OpCode.error) out.int(-1).bool(false).int(part.err).int(part.err);
    else {
      const isCreate2 = part.type === OpCode.createContainer || part.type === OpCode.createTTL;
      out
        .int(isCreate2 ? OpCode.create2 : part.type)
        .bool(false)
        .int(0);
      writeResult(out, tree, part);
    }
  }
  out.int(-1).bool(true).int(-1);
  return { err: ErrorCode.OK, body: out.build() };
}

export function readReply(tree: NaiveTree, path: string): Reply {
  const node = tree.nodes.get(path);
  if (node === undefined) return { err: ErrorCode.NONODE, body: Buffer.alloc(0) };
  if (!node.acl.some(({ perms }) => (perms & 1) !== 0)) {
    return { err: ErrorCode.NOAUTH, body: Buffer.alloc(0) };
  }
  return { err: ErrorCode.OK, body: statOf(tree, path) };
}

function writeResult(out: ByteBuilder, tree: NaiveTree, txn: Txn): void {
  switch (txn.type) {
    case OpCode.create:
      out.string(txn.path);
      break;
    case OpCode.create2:
    case OpCode.createContainer:
    case OpCode.createTTL:
      out.string(txn.path).bytes(statOf(tree, txn.path));
      break;
    case OpCode.setData:
    case OpCode.setACL:
      out.bytes(statOf(tree, txn.path));
      break;
    default:
  }
}

function statOf(tree: NaiveTree, path: string): Buffer {
  const stat = tree.stat(path);
  if (stat === undefined) throw new Error(`the model has no ${path}`);
  return StatRecord.encode(stat);
}
