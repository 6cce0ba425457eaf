/** A client of the naive service: its open requests, and the last txn that its server applied. */
import type { Arguments, OpName, Result } from './format.js';

export interface Request {
  readonly name: OpName;
  readonly args: Arguments;
  readonly id: number;
  isDone: boolean;
  isLost: boolean;
  /** The tree after a write, or the tree of a read: an index of `versions`. */
  version: number;
  answer: { readonly error?: string; readonly result: Result; readonly zxid: bigint } | undefined;
}

export interface Session {
  readonly process: string;
  name: string;
  lives: number;
  readonly queue: Request[];
  /** The last tree that its server applied: an index of `versions`. */
  seen: number;
  readonly watches: Map<string, bigint>;
}

export function newSession(process: string): Session {
  return { process, name: `${process}.0`, lives: 0, queue: [], seen: 0, watches: new Map() };
}
