/**
 * The writes of ClickHouse Keeper's dialect, as txns that Apache's server has, too: what changes
 * the tree is creates and deletes, and what changes nothing is a check. Only a multi can have a
 * check or several deletes. Its parts become parts of the multi that has the operation.
 *
 * The last txn of an operation has the path of its request, and no earlier one has it. So the
 * requests of a multi tell which txns are whose (FinalProcessor).
 */
import type { Txn } from '../../files/txn.js';
import { InputArchive } from '../../jute/input-archive.js';
import { createModeOf } from '../../protocol/create-mode.js';
import type { StatRecord } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import {
  CheckStatRequest,
  KeeperOpCode,
  RemoveRecursiveRequest,
} from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { pathFault } from '../../protocol/path.js';
import { Perms } from '../../protocol/perms.js';
import { CheckVersionRequest, CreateRequest, DeleteRequest } from '../../protocol/proto.js';
import type { Author } from './author.js';
import type { ChangeRecord } from './change-record.js';
import type { OutstandingChanges } from './outstanding-changes.js';
import { PrepParents, SPECIAL_PATHS } from './prep-rules.js';

type Outcome = Txn | ErrorCode;

/** What Prep does for Apache's operations. */
export interface PrepSteps {
  readonly outstanding: OutstandingChanges;
  isAllowed(node: ChangeRecord, perm: number, author: Author): boolean;
  prepareCreate(type: typeof OpCode.create, input: InputArchive, author: Author): Outcome;
  prepareDelete(path: string, version: number, author: Author): Outcome;
  prepareCheck(path: string, version: number, author: Author): Outcome;
  remove(path: string): void;
  didWork(steps: number): void;
  /** Whether the txn of the request may become longer by this many bytes. */
  takeRoom(bytes: number): boolean;
}

/** One step of work compares this many pending changes with a path. */
const CHANGES_PER_STEP = 16;
/** Type, length, and the length of the path of a delete in a multi. */
const DELETE_OVERHEAD = 12;

export class KeeperOps {
  private readonly prep: PrepSteps;
  private readonly parents = new PrepParents();

  constructor(prep: PrepSteps) {
    this.prep = prep;
  }

  prepare(type: number, input: InputArchive, author: Author): Outcome {
    switch (type) {
      case KeeperOpCode.checkNotExists:
        return this.checkNotExists(CheckVersionRequest.read(input), author);
      case KeeperOpCode.checkStat:
        return this.checkStat(CheckStatRequest.read(input), author);
      case KeeperOpCode.createIfNotExists:
        return this.createIfNotExists(input, author);
      case KeeperOpCode.tryRemove:
        return this.tryRemove(DeleteRequest.read(input), author);
      case KeeperOpCode.removeRecursive:
        return this.removeRecursive(RemoveRecursiveRequest.read(input), author);
      default:
        return ErrorCode.UNIMPLEMENTED;
    }
  }

  private checkNotExists(
    { path, version }: { path: string; version: number },
    author: Author,
  ): Outcome {
    if (pathFault(path) !== undefined) return ErrorCode.BADARGUMENTS;
    const node = this.prep.outstanding.get(path);
    if (node === undefined) return unchanged(path);
    if (!this.prep.isAllowed(node, Perms.READ, author)) return ErrorCode.NOAUTH;
    const isThis = version === -1 || version === node.version;
    return isThis ? ErrorCode.NODEEXISTS : unchanged(path);
  }

  /** Each field of -1 may have any value. */
  private checkStat(
    { path, version, stat }: { path: string; version: number; stat: StatRecord },
    author: Author,
  ): Outcome {
    const outcome = this.prep.prepareCheck(path, version, author);
    if (typeof outcome === 'number') return outcome;
    const found = this.prep.outstanding.statOf(path);
    const isSame = Object.entries(stat).every(
      ([name, value]) => Number(value) === -1 || value === found[name as keyof StatRecord],
    );
    return isSame ? unchanged(path) : ErrorCode.BADVERSION;
  }

  /** A name that must not exist cannot be sequential. */
  private createIfNotExists(input: InputArchive, author: Author): Outcome {
    const { path, flags } = CreateRequest.read(new InputArchive(input.bytes, input.at, input.end));
    const mode = createModeOf(flags);
    if (mode?.isSequential || mode?.isContainer) return ErrorCode.BADARGUMENTS;
    const outcome = this.prep.prepareCreate(OpCode.create, input, author);
    return outcome === ErrorCode.NODEEXISTS ? unchanged(path) : outcome;
  }

  private tryRemove({ path, version }: { path: string; version: number }, author: Author): Outcome {
    const outcome = this.prep.prepareDelete(path, version, author);
    switch (outcome) {
      case ErrorCode.NONODE:
      case ErrorCode.BADVERSION:
      case ErrorCode.NOTEMPTY:
        return unchanged(path);
      default:
        return outcome;
    }
  }

  /** Decides before it changes anything. Children are deleted before their parent. */
  private removeRecursive(
    { path, limit }: { path: string; limit: number },
    author: Author,
  ): Outcome {
    const { prep } = this;
    const parentPath = this.parents.of(path);
    if (parentPath === undefined || SPECIAL_PATHS.has(path)) return ErrorCode.BADARGUMENTS;
    const parent = prep.outstanding.get(parentPath);
    if (parent === undefined) return unchanged(path);
    if (!prep.isAllowed(parent, Perms.DELETE, author)) return ErrorCode.NOAUTH;
    const top = prep.outstanding.get(path);
    if (top === undefined) return unchanged(path);
    if (top.childCount > 0) prep.didWork(Math.ceil(prep.outstanding.size / CHANGES_PER_STEP));
    const paths: string[] = [];
    for (const node of prep.outstanding.below(top)) {
      prep.didWork(1);
      if (node === undefined) continue;
      if (paths.length >= limit >>> 0) return ErrorCode.NOTEMPTY;
      if (!prep.takeRoom(DELETE_OVERHEAD + Buffer.byteLength(node.path))) return ErrorCode.NOTEMPTY;
      const isParent = node.childCount > 0;
      if (isParent && !prep.isAllowed(node, Perms.DELETE, author)) return ErrorCode.NOAUTH;
      paths.push(node.path);
    }
    paths.reverse();
    for (const one of paths) prep.remove(one);
    return { type: OpCode.multi, txns: paths.map((one) => ({ type: OpCode.delete, path: one })) };
  }
}

/** Nothing changes. The version of a check has no effect when it is applied. */
function unchanged(path: string): Txn {
  return { type: OpCode.multi, txns: [{ type: OpCode.check, path, version: -1 }] };
}
