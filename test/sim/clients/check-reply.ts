import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import type { History, Told } from '../history.js';
import type { Answer } from './client-world.js';

interface Checked {
  readonly xid: number;
  readonly type: number;
  /** The newest write that any client had seen when it was sent. */
  readonly after: bigint;
  readonly isWrite: boolean;
}

/** What every reply must meet, whatever the client does with it. */
export function checkReply(history: History, told: Told, asked: Checked, answer: Answer): void {
  const { xid, type, after, isWrite } = asked;
  const { zxid, err, body } = answer;
  if (type === OpCode.sync && err === ErrorCode.OK) history.synced(zxid, after);
  if (!isWrite) return;
  const rest = Buffer.from(body.bytes.subarray(body.at, body.end));
  history.replied(told, xid, zxid, { err, body: rest });
  if (err === ErrorCode.OK) history.wrote(told, xid, zxid, after);
}
