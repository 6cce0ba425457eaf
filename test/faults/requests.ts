/** Requests in the form of a history and as bytes, and their parsed responses. */

import { InputArchive } from '../../src/jute/input-archive.js';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import type { Arguments, OpName, Part, Result, SeenStat } from '../history/format.js';
import * as bodies from '../sim/clients/requests.js';
import { ErrorResponse, MultiHeader, REPLIES } from '../support/bytes/jute-records.js';

export interface Request extends bodies.Body {
  readonly op: OpName;
  readonly args: Arguments;
}

export interface PartRequest extends Request {
  readonly op: Part['op'];
}

/** `error` is ZooKeeper's name of the error; undefined means success. */
export interface Answer {
  readonly error?: string;
  readonly result: Result;
  readonly zxid: bigint;
}

/** Sends a request on a client's session; undefined if its connection no longer works. */
export interface Asker {
  readonly process: string;
  readonly session: string;
  ask(request: Request): Promise<Answer | undefined>;
}

export function create(
  path: string,
  data: string,
  flags: number = bodies.Flags.persistent,
): PartRequest {
  const [ephemeral, sequential] = [(flags & 1) !== 0, (flags & 2) !== 0];
  const args = { path, data, ephemeral, sequential };
  return { op: 'create', args, ...bodies.create(path, flags, data) };
}

export function remove(path: string): PartRequest {
  return { op: 'delete', args: { path }, ...bodies.remove(path) };
}

export function setData(path: string, data: string, version = -1): PartRequest {
  const args = { path, data, version };
  return { op: 'setData', args, ...bodies.setData(path, data, version) };
}

export function check(path: string, version: number): PartRequest {
  return { op: 'check', args: { path, version }, ...bodies.check(path, version) };
}

export function multi(parts: readonly PartRequest[]): Request {
  const ops = parts.map(({ op, args }) => ({ ...args, op }));
  return { op: 'multi', args: { ops }, ...bodies.multi(parts) };
}

export function getData(path: string, watch = false): Request {
  return { op: 'getData', args: { path, watch }, ...bodies.look(OpCode.getData, path, watch) };
}

export function getChildren(path: string): Request {
  return { op: 'getChildren', args: { path }, ...bodies.look(OpCode.getChildren, path, false) };
}

export function sync(path: string): Request {
  return { op: 'sync', args: { path }, ...bodies.ofPath(OpCode.sync, path) };
}

export function closeSession(): Request {
  return { op: 'closeSession', args: {}, type: OpCode.closeSession, body: Buffer.alloc(0) };
}

/** @param body body of a reply without an error in the header */
export function readReply(type: number, body: Buffer): Pick<Answer, 'error' | 'result'> {
  const input = new InputArchive(body);
  return type === OpCode.multi ? readMulti(input) : { result: readResult(type, input) };
}

/** A refused multi has an error for each part: 0 for the parts before the failed one. */
function readMulti(input: InputArchive): Pick<Answer, 'error' | 'result'> {
  const results: Result[] = [];
  const errors: number[] = [];
  for (;;) {
    const { type, done } = MultiHeader.read(input);
    if (done) break;
    if (type === OpCode.error) errors.push(ErrorResponse.read(input).err);
    else results.push(readResult(type, input));
  }
  const failed = errors.findIndex((err) => err !== 0);
  if (failed < 0) return { result: { results } };
  return { error: errorName(errors[failed] ?? 0) ?? `${errors[failed]}`, result: { failed } };
}

function readResult(type: number, input: InputArchive): Result {
  const reply = REPLIES.get(type);
  // A multi has no result record for these.
  if (type === OpCode.check || type === OpCode.delete || reply === undefined) return {};
  const { path, data, stat, children } = (reply.read(input) ?? {}) as {
    path?: string;
    data?: Buffer;
    stat?: SeenStat;
    children?: string[];
  };
  if (children !== undefined) return { children };
  if (stat === undefined) return path === undefined ? {} : { path };
  const { czxid = 0n, mzxid = 0n, version = 0 } = stat;
  const seen = { stat: { czxid, mzxid, version } };
  return data === undefined ? seen : { ...seen, data: data.toString() };
}
