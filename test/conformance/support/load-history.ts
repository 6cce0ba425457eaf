import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { Random } from '../../support/random.js';
import type { Op } from './world.js';

/** The state of a client's own subtree: data and version by name. */
export type Subtree = ReadonlyMap<string, { readonly data: string; readonly version: number }>;

/** A write, its expected response, and the subtree after it. */
export interface LoadStep {
  readonly op: Op;
  readonly err: number;
  readonly after: Subtree;
}

const NAMES = 40;

/**
 * The writes of one client on its own subtree, so that every response and state is known in
 * advance. A third of them must be refused without effect.
 */
export class LoadHistory {
  readonly top: string;
  private readonly random: Random;
  private state: Subtree = new Map();
  private count = 0;

  constructor(top: string, random: Random) {
    this.top = top;
    this.random = random;
  }

  next(): LoadStep {
    const name = `n${this.random.below(NAMES)}`;
    const data = `${this.top} ${++this.count}`;
    switch (this.random.below(6)) {
      case 0:
        return this.delete(name);
      case 1:
        return this.set(name, data, 999_999);
      case 2:
        return this.multi(name, data);
      case 3:
      case 4:
        return this.set(name, data, -1);
      default:
        return this.create(name, data);
    }
  }

  private create(name: string, data: string): LoadStep {
    const op = createOp(this.pathOf(name), data);
    if (this.state.has(name)) return this.refused(op, ErrorCode.NODEEXISTS);
    return this.accepted(op, new Map(this.state).set(name, { data, version: 0 }));
  }

  private set(name: string, data: string, version: number): LoadStep {
    const op = setOp(this.pathOf(name), data, version);
    const before = this.state.get(name);
    if (before === undefined) return this.refused(op, ErrorCode.NONODE);
    if (version !== -1) return this.refused(op, ErrorCode.BADVERSION);
    const next = { data, version: before.version + 1 };
    return this.accepted(op, new Map(this.state).set(name, next));
  }

  private delete(name: string): LoadStep {
    const op: Op = { type: OpCode.delete, value: { path: this.pathOf(name), version: -1 } };
    if (!this.state.has(name)) return this.refused(op, ErrorCode.NONODE);
    const after = new Map(this.state);
    after.delete(name);
    return this.accepted(op, after);
  }

  /** Two writes, all or nothing, of which the second may fail. The multi itself returns OK. */
  private multi(name: string, data: string): LoadStep {
    const other = `m${this.random.below(NAMES)}`;
    const ops = [setOp(this.pathOf(name), data, -1), createOp(this.pathOf(other), data)];
    const op: Op = { type: OpCode.multi, ops };
    const before = this.state.get(name);
    if (before === undefined || this.state.has(other)) return this.refused(op, ErrorCode.OK);
    const after = new Map(this.state)
      .set(name, { data, version: before.version + 1 })
      .set(other, { data, version: 0 });
    return this.accepted(op, after);
  }

  private accepted(op: Op, after: Subtree): LoadStep {
    this.state = after;
    return { op, err: ErrorCode.OK, after };
  }

  private refused(op: Op, err: number): LoadStep {
    return { op, err, after: this.state };
  }

  private pathOf(name: string): string {
    return `${this.top}/${name}`;
  }
}

function createOp(path: string, data: string): Op {
  const value = { path, data: Buffer.from(data), acl: OPEN_ACL_UNSAFE, flags: 0 };
  return { type: OpCode.create, value };
}

function setOp(path: string, data: string, version: number): Op {
  return { type: OpCode.setData, value: { path, data: Buffer.from(data), version } };
}
