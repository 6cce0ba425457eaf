/** A client of a naive service: its requests that are open, and what its server has applied. */
import type { Arguments, OpName, Result } from './format.js';

export interface Request {
  readonly name: OpName;
  readonly args: Arguments;
  readonly id: number;
  isDone: boolean;
  isLost: boolean;
  /** The tree that it made or found, an index of `versions`. */
  version: number;
  answer: { readonly error?: string; readonly result: Result; readonly zxid: bigint } | undefined;
}

export interface Session {
  readonly process: string;
  name: string;
  lives: number;
  readonly queue: Request[];
  /** What its server has applied: an index of `versions`. */
  seen: number;
  readonly watches: Map<string, bigint>;
}

export function newSession(process: string): Session {
  return { process, name: `${process}.0`, lives: 0, queue: [], seen: 0, watches: new Map() };
}
