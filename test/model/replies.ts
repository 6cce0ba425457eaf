/** The replies of the model: the body as text, applied step by step. */

import type { Txn, TxnHead } from '../../src/files/txn.js';
import { StatRecord } from '../../src/protocol/data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { FIRST_KEEPER_OP, KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import type { NaiveTree } from './naive-tree.js';
import type { Op } from './operations.js';

export interface Reply {
  readonly err: number;
  readonly body: Buffer;
}

/** Applies a committed txn to the model's tree and returns the expected reply. */
export function writeReply(tree: NaiveTree, head: TxnHead, txn: Txn, op?: Op): Reply {
  const out = new ByteBuilder();
  if (txn.type === OpCode.error) return { err: txn.err, body: out.build() };
  if (op !== undefined && op.type >= FIRST_KEEPER_OP) {
    tree.apply(head, txn);
    if (op.type === KeeperOpCode.createIfNotExists) out.string(op.path);
    return { err: ErrorCode.OK, body: out.build() };
  }
  if (txn.type !== OpCode.multi) {
    tree.apply(head, txn);
    writeResult(out, tree, txn);
    return { err: ErrorCode.OK, body: out.build() };
  }
  return { err: ErrorCode.OK, body: multiResults(tree, head, txn, op) };
}

/** An operation of the dialect has one result, whatever it became: the last part has its path. */
function multiResults(
  tree: NaiveTree,
  head: TxnHead,
  { txns }: Extract<Txn, { type: typeof OpCode.multi }>,
  op: Op | undefined,
): Buffer {
  const out = new ByteBuilder();
  const hasFailed = txns.some(({ type }) => type === OpCode.error);
  const ops = op?.type === OpCode.multi ? [...op.ops] : [];
  for (const part of txns) {
    if (!hasFailed) tree.applyPart(head, part);
    const asked = ops[0];
    if (part.type === OpCode.error) {
      out.int(-1).bool(false).int(part.err).int(part.err);
    } else if (asked === undefined || asked.type < FIRST_KEEPER_OP) {
      const isCreate2 = part.type === OpCode.createContainer || part.type === OpCode.createTTL;
      out
        .int(isCreate2 ? OpCode.create2 : part.type)
        .bool(false)
        .int(0);
      writeResult(out, tree, part);
      ops.shift();
    } else if ('path' in part && part.path === asked.path) {
      out.int(asked.type).bool(false).int(0);
      if (asked.type === KeeperOpCode.createIfNotExists) out.string(asked.path);
      ops.shift();
    }
  }
  return out.int(-1).bool(true).int(-1).build();
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
