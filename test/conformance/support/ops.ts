/** Short forms of requests, for handwritten cases. */
import type { ACL } from '../../../src/protocol/data.js';
import { errorName } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { encodeOp } from './encode-op.js';
import type { RawClient } from './raw-client.js';
import type { Op } from './world.js';

export const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
export const HIDDEN: readonly ACL[] = [{ perms: 30, id: { scheme: 'world', id: 'anyone' } }];
export const LOCKED: readonly ACL[] = [{ perms: 17, id: { scheme: 'world', id: 'anyone' } }];

export function create(path: string, flags = 0, acl = OPEN): Op {
  return { type: OpCode.create, value: { path, data: Buffer.from('x'), acl, flags } };
}

export function createTTL(path: string, flags: number, ttl: bigint): Op {
  const value = { path, data: null, acl: OPEN, flags, ttl };
  return { type: OpCode.createTTL, value };
}

export function setData(path: string): Op {
  return { type: OpCode.setData, value: { path, data: Buffer.from('y'), version: -1 } };
}

export function exists(path: string, watch: boolean): Op {
  return { type: OpCode.exists, value: { path, watch } };
}

export function getData(path: string, watch: boolean): Op {
  return { type: OpCode.getData, value: { path, watch } };
}

export function addWatch(path: string, mode: number): Op {
  return { type: OpCode.addWatch, value: { path, mode } };
}

export function watches(type: number, path: string, watcherType: number): Op {
  return { type, value: { path, type: watcherType } };
}

/** Sends one request. Resolves with the name of its error, "ok", or "closed". */
export async function send(client: RawClient, op: Op): Promise<string> {
  const reply = await client.request(op.type, encodeOp(op, 0n));
  if (reply === undefined) return 'closed';
  return reply.err === 0 ? 'ok' : (errorName(reply.err) ?? String(reply.err));
}
