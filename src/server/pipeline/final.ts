/**
 * The final stage: applies committed txns in zxid order and answers their requests. Watch events
 * enter the archives while the tree changes, so they precede the reply. It decides nothing.
 */

import { assert } from '../../base/assert.js';
import { partsOf, type Txn, type TxnHead } from '../../files/txn.js';
import { textOf } from '../../files/txn-data.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { FIRST_KEEPER_OP, KeeperOpCode } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { recordSince } from '../metrics/summary.js';
import { isLastOf } from '../prep/keeper-parts.js';
import type { ClientConnection } from '../state/client-connection.js';
import { NO_RECORDS, type Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';
import { writeMultiHeader } from './read.js';
import { beginReply, endReply } from './reply.js';

export class FinalProcessor {
  private readonly state: ServerState;
  /** The results of the multi being applied, because its watch events precede the reply. */
  private readonly results = new OutputArchive();

  constructor(state: ServerState) {
    this.state = state;
  }

  process(request: Request, head: TxnHead, txn: Txn): void {
    const { connection } = request;
    const isAnswered =
      connection !== null && connection.phase !== 'closed' && request.type !== OpCode.createSession;
    // A fuzzy snapshot may lack znodes that a multi changed: only a serving member reads results.
    const isMulti = request.type === OpCode.multi && txn.type === OpCode.multi;
    if (isAnswered && isMulti) this.applyMulti(request, head, txn.txns);
    else this.state.tree.apply(head, txn, request.records);
    if (request.digest !== null) {
      if (!this.state.tree.isDigestEnabled)
        assert(false, 'digest: of a tree without one', head.zxid);
      this.state.tree.digest.value = request.digest;
      this.state.tree.noteDigest(head.zxid);
    }
    this.state.setProcessed(head.zxid);
    const { metrics } = this.state.stats;
    recordSince(metrics.propagationLatency, this.state.wallMs, head.time);
    if (isAnswered) this.reply(connection, request, txn);
    const { outstanding } = this.state.prep;
    if (txn.type === OpCode.closeSession) outstanding.closed(head.sessionId, head.zxid);
    outstanding.settle(request.records);
    metrics.changesRemoved += request.records.length;
  }

  private reply(connection: ClientConnection, request: Request, txn: Txn): void {
    if (connection.phase !== 'open')
      assert(false, 'reply order: to a connection without a session');
    const start = beginReply(connection, request.xid);
    if (txn.type === OpCode.error) {
      endReply(this.state, connection, start, replyError(request, txn.err));
      return;
    }
    this.writeBody(connection.out, request, txn);
    endReply(this.state, connection, start, ErrorCode.OK);
  }

  private writeBody(out: OutputArchive, { type, records }: Request, txn: Txn): void {
    if (type >= FIRST_KEEPER_OP) {
      writeKeeperBody(out, type, txn.type === OpCode.multi ? txn.txns.at(-1) : txn);
      return;
    }
    switch (txn.type) {
      case OpCode.setData:
      case OpCode.setACL:
        this.writeStat(out, txn.path, records);
        break;
      case OpCode.create:
        out.writeString(txn.path);
        break;
      case OpCode.reconfig:
        out.writeLatin1(textOf(txn.data));
        this.writeStat(out, txn.path, records);
        break;
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        out.writeString(txn.path);
        this.writeStat(out, txn.path, records);
        break;
      case OpCode.multi:
        out.writeBytes(this.results.view());
        break;
      default:
        assert(
          type === OpCode.delete || type === OpCode.closeSession,
          'one txn: no reply is defined for it',
          txn.type,
        );
    }
  }

  /** Each result shows the tree right after its sub-op, not at the end of the multi. */
  private applyMulti(request: Request, head: TxnHead, txns: readonly Txn[]): void {
    const { results } = this;
    const { parts } = request;
    results.reset();
    let done = 0;
    for (const txn of partsOf(txns)) {
      this.state.tree.applyPart(head, txn);
      const part = parts?.[done];
      if (!isLastOf(part, txn)) continue;
      done++;
      if (part === undefined || txn.type === OpCode.error || part.type < FIRST_KEEPER_OP) {
        this.writeResult(request, txn);
      } else {
        writeMultiHeader(results, part.type, false, ErrorCode.OK);
        writeKeeperBody(results, part.type, txn);
      }
    }
    if (parts !== null) assert(done === parts.length, 'multi: parts without a result', done);
    this.state.tree.finish(head);
    writeMultiHeader(results, -1, true, -1);
  }

  private writeResult(request: Request, txn: Txn): void {
    const { results } = this;
    switch (txn.type) {
      case OpCode.error:
        writeError(results, replyError(request, txn.err));
        break;
      case OpCode.create:
        writeMultiHeader(results, OpCode.create, false, ErrorCode.OK);
        results.writeString(txn.path);
        break;
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        // Apache's MultiResponse has no other type for these.
        writeMultiHeader(results, OpCode.create2, false, ErrorCode.OK);
        results.writeString(txn.path);
        this.writeStat(results, txn.path);
        break;
      case OpCode.setData:
        writeMultiHeader(results, OpCode.setData, false, ErrorCode.OK);
        this.writeStat(results, txn.path);
        break;
      default:
        writeMultiHeader(results, txn.type, false, ErrorCode.OK);
    }
  }

  /** @param records of prep: the last one is the znode's; none on a learner and in a multi */
  private writeStat(out: OutputArchive, path: string, records = NO_RECORDS): void {
    const { tree } = this.state;
    const last = records[records.length - 1];
    const node = last === undefined ? tree.get(path) : tree.nodeOf(last);
    assert(node !== undefined, 'one txn: its znode vanished in the same step', path);
    tree.writeStat(out, node);
  }
}

/** @param last the last txn of the operation */
function writeKeeperBody(out: OutputArchive, type: number, last: Txn | undefined): void {
  if (type !== KeeperOpCode.createIfNotExists) return;
  const isOfIt = last?.type === OpCode.create || last?.type === OpCode.check;
  assert(isOfIt, 'multi: the txn of another operation', last?.type);
  out.writeString(last.path);
}

function writeError(results: OutputArchive, err: number): void {
  writeMultiHeader(results, OpCode.error, false, err);
  results.writeInt(err);
}

/** A leader reports a local session of a learner as expired; its own server corrects that. */
function replyError({ isRefusedEphemeral }: Request, err: number): number {
  const isRefused = isRefusedEphemeral && err === ErrorCode.SESSIONEXPIRED;
  return isRefused ? ErrorCode.EPHEMERALONLOCALSESSION : err;
}
