/**
 * Turns a write into a txn, or into the error that Apache would choose when several apply. It
 * decides against the tree and the outstanding changes, and changes only the latter. The order of
 * the checks is the contract (docs/protocol.md, Errors of a write; PrepRequestProcessor). The wall
 * clock enters a txn only here.
 */

import { InvariantError } from '../../base/assert.js';
import { contentCrc, contentCrcOf, pathCrc } from '../../files/digest.js';
import type { CreateNodeTxn, Txn } from '../../files/txn.js';
import { dataLength, RequestData, type TxnData } from '../../files/txn-data.js';
import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { ustring } from '../../jute/record.js';
import { readRequestedAcl } from '../../protocol/acl-codec.js';
import {
  type CreateMode,
  createModeOf,
  ephemeralTypeOf,
  MAX_TTL_MS,
} from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { FIRST_KEEPER_OP } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { pathFault, sequenceSuffix } from '../../protocol/path.js';
import { Perms } from '../../protocol/perms.js';
import { ReconfigRequest } from '../../protocol/proto.js';
import type { Auth } from '../session/auth.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Author } from './author.js';
import type { ChangeRecord } from './change-record.js';
import { closeEphemerals } from './close-ephemerals.js';
import { KeeperOps, type PrepSteps } from './keeper-ops.js';
import { type NewNode, OutstandingChanges } from './outstanding-changes.js';
import { CONFIG_PATH, nextVersion, ownerOf, PrepParents, SPECIAL_PATHS } from './prep-rules.js';
import { type QuotaExcess, quotaExcesses } from './quota-check.js';
import { closeLength, readOps, txnLengthBound } from './read-ops.js';

export interface PrepOptions {
  /** digest.enabled: txns carry the resulting digest of the tree. */
  readonly isDigestEnabled: boolean;
  /** enforceQuota: hard limits are enforced. */
  readonly isQuotaEnforced: boolean;
  /** extendedTypesEnabled: clients may create TTL nodes. */
  readonly isTTLEnabled: boolean;
  /** keeperDialect: clients may send operations of ClickHouse Keeper. */
  readonly isKeeperDialect?: boolean | undefined;
  /** Returns the new configuration as data, or an error. Null without reconfigEnabled. */
  readonly reconfigure: ((request: ReconfigRequest, zxid: bigint) => string | ErrorCode) | null;
  /** In bytes: jute.maxbuffer and its extra size. */
  readonly maxTxnLength?: number;
}

export interface Prepared {
  readonly txn: Txn;
  readonly records: readonly ChangeRecord[];
  /** The digest of the tree after this txn; null for errors and without digests. */
  readonly digest: bigint | null;
}

type Outcome = Txn | ErrorCode;

/** `time` is the leader's wall clock in ms. */
export interface Stamp {
  readonly zxid: bigint;
  readonly time: bigint;
}

const NO_RECORDS: readonly ChangeRecord[] = [];

export class Prep implements PrepSteps {
  readonly outstanding: OutstandingChanges;
  /** Called for each write above a limit, refused or not. */
  onQuotaExceeded: (excess: QuotaExcess, isRefused: boolean) => void = () => undefined;
  private readonly auth: Auth;
  private readonly options: PrepOptions;
  private readonly maxTxnLength: number;
  private readonly tree: DataTree;
  private readonly parents = new PrepParents();
  /** The changes of the current request, in order; a new array for each request. */
  private records: ChangeRecord[] = [];
  /** The pending changes when the current request began. */
  private putsBefore = 0;
  /** The zxid and time of the current request; a zxid returns only if the last use failed. */
  private stamp: Stamp = { zxid: 0n, time: 0n };
  /** By how many bytes the txn of the current request may exceed what its bytes make. */
  private room = Number.POSITIVE_INFINITY;
  /** Null without keeperDialect. */
  private readonly keeper: KeeperOps | null;

  constructor(tree: DataTree, auth: Auth, options: PrepOptions) {
    this.outstanding = new OutstandingChanges(tree, options.isDigestEnabled);
    this.tree = tree;
    this.auth = auth;
    this.options = options;
    this.maxTxnLength = options.maxTxnLength ?? Number.POSITIVE_INFINITY;
    this.keeper = options.isKeeperDialect === true ? new KeeperOps(this) : null;
  }

  /**
   * Never throws for invalid client data. After an exception, such as without memory, the
   * outstanding changes are as before.
   * @throws InvariantError if they cannot be
   */
  prepare(type: number, input: InputArchive, author: Author, stamp: Stamp): Prepared {
    this.begin(stamp);
    try {
      this.room = this.maxTxnLength - txnLengthBound(type, input, author.ids, this.maxTxnLength);
      if (this.room < 0) return this.refused(ErrorCode.MARSHALLINGERROR);
      const outcome =
        type === OpCode.multi ? this.prepareMulti(input, author) : this.tryOne(type, input, author);
      return typeof outcome === 'number' ? this.refused(outcome) : this.prepared(outcome);
    } catch (error) {
      this.undo(error);
      throw error;
    }
  }

  private undo(error: unknown): void {
    if (!(error instanceof InvariantError))
      this.outstanding.undo(this.records, this.putsBefore, this.stamp.zxid);
  }

  prepareSession(timeoutMs: number): Prepared {
    this.records = [];
    this.putsBefore = this.outstanding.puts;
    return this.prepared({ type: OpCode.createSession, timeoutMs });
  }

  /**
   * Closes a session and its ephemerals; exceptions as in `prepare`. A list that is too long for a
   * log entry is left empty, never left out: readers expect one, and each server deletes all
   * ephemerals of the session anyway (DataTree.killSession).
   */
  prepareClose(sessionId: bigint, stamp: Stamp): Prepared {
    this.begin(stamp);
    try {
      const { outstanding, parents, records } = this;
      const paths = closeEphemerals(outstanding, parents, sessionId, stamp.zxid, records);
      const isWritable = closeLength(paths) <= this.maxTxnLength;
      return this.prepared({ type: OpCode.closeSession, paths: isWritable ? paths : [] });
    } catch (error) {
      this.undo(error);
      throw error;
    }
  }

  private begin(stamp: Stamp): void {
    this.stamp = stamp;
    this.records = [];
    this.putsBefore = this.outstanding.puts;
  }

  private prepared(txn: Txn): Prepared {
    this.outstanding.checkPrepared(this.putsBefore + this.records.length);
    const digest = this.options.isDigestEnabled ? this.outstanding.digest.value : null;
    return { txn, records: this.records, digest };
  }

  /** The txn of a request that changes nothing. */
  private refused(err: ErrorCode): Prepared {
    this.outstanding.checkPrepared(this.putsBefore);
    return { txn: { type: OpCode.error, err }, records: NO_RECORDS, digest: null };
  }

  private tryOne(type: number, input: InputArchive, author: Author): Outcome {
    try {
      return this.prepareOne(type, input, author);
    } catch (error) {
      if (error instanceof JuteError) return ErrorCode.MARSHALLINGERROR;
      throw error;
    }
  }

  private prepareOne(type: number, input: InputArchive, author: Author): Outcome {
    switch (type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        return this.prepareCreate(type, input, author);
      case OpCode.delete:
        return this.prepareDelete(this.tree.readPath(input), input.readInt(), author);
      case OpCode.setData:
        return this.prepareSetData(input, author);
      case OpCode.setACL:
        return this.prepareSetACL(input, author);
      case OpCode.check:
        return this.prepareCheck(this.tree.readPath(input), input.readInt(), author);
      case OpCode.reconfig:
        return this.prepareReconfig(input, author);
      default:
        return this.keeper?.prepare(type, input, author) ?? ErrorCode.UNIMPLEMENTED;
    }
  }

  prepareCreate(type: CreateNodeTxn['type'], input: InputArchive, author: Author): Outcome {
    const path = ustring.read(input);
    const data = RequestData.read(input);
    const dataEnd = input.at;
    const requestedAcl = readRequestedAcl(input);
    const mode = createModeOf(input.readInt());
    const ttl = type === OpCode.createTTL ? input.readLong() : -1n;
    if (mode === undefined) return ErrorCode.BADARGUMENTS;
    if (mode.isTTL && !this.options.isTTLEnabled) return ErrorCode.UNIMPLEMENTED;
    // Apache's server crashes when it applies a createTTL with a mode without TTL.
    const isTTLType = type === OpCode.createTTL;
    if (isTTLType !== mode.isTTL) return ErrorCode.BADARGUMENTS;
    if (isTTLType && (ttl <= 0n || ttl > MAX_TTL_MS)) return ErrorCode.BADARGUMENTS;
    if (mode.isEphemeral && author.isLocal) return ErrorCode.SESSIONEXPIRED;
    const parentPath = this.parents.of(path);
    if (parentPath === undefined) return ErrorCode.BADARGUMENTS;
    const acl = this.auth.fixUp(requestedAcl, author.ids);
    if (typeof acl === 'number') return acl;
    const parent = this.outstanding.get(parentPath);
    if (parent === undefined) return ErrorCode.NONODE;
    if (!this.isAllowed(parent, Perms.CREATE, author)) return ErrorCode.NOAUTH;
    const name = mode.isSequential ? path + sequenceSuffix(parent.cversion) : path;
    const nameAt = parentPath.length === 1 ? 1 : parentPath.length + 1;
    if (pathFault(name, false, nameAt) !== undefined) return ErrorCode.BADARGUMENTS;
    const hash = this.tree.hashOf(name);
    if (this.outstanding.get(name, hash) !== undefined) return ErrorCode.NODEEXISTS;
    if (ephemeralTypeOf(parent.ephemeralOwner, this.options.isTTLEnabled) === 'session') {
      return ErrorCode.NOCHILDRENFOREPHEMERALS;
    }
    if (this.isOverQuota(name, dataLength(data), 1)) return ErrorCode.QUOTAEXCEEDED;
    const pathSum = this.pathSumBelow(parent, name);
    const crc = this.contentCrc(name, pathSum, input.bytes, dataLength(data), dataEnd);
    const made = { path: name, hash, dataLength: dataLength(data), pathSum, crc };
    return this.create({ type, made, data, acl, mode, ttl, parent, author });
  }

  private create(spec: {
    type: CreateNodeTxn['type'];
    made: NewNode;
    data: TxnData;
    acl: readonly ACL[];
    mode: CreateMode;
    ttl: bigint;
    parent: ChangeRecord;
    author: Author;
  }): Txn {
    const { type, made: newNode, data, acl, mode, ttl, parent, author } = spec;
    const parentCVersion = (parent.cversion + 1) | 0;
    const grown = this.outstanding.copy(parent);
    grown.childCount++;
    // The tree never lowers it, so past 2^31 creates it stays (DataTree.raiseParent).
    if (parentCVersion > parent.stat.cversion) {
      grown.stat.setCversion(parentCVersion);
      grown.stat.setPzxid(this.stamp.zxid);
    } else {
      grown.pendingCversion = parentCVersion;
    }
    const ephemeralOwner = ownerOf(type, mode, ttl, author.sessionId);
    const made = this.outstanding.make(newNode, acl, ephemeralOwner, this.stamp);
    made.isEphemeralCreate = mode.isEphemeral;
    this.outstanding.put(parent, grown);
    this.outstanding.put(null, made);
    this.addRecords([grown, made]);
    return {
      type,
      path: newNode.path,
      data,
      acl,
      isEphemeral: mode.isEphemeral,
      parentCVersion,
      ttl: mode.isTTL ? ttl : 0n,
    };
  }

  prepareDelete(path: string, version: number, author: Author): Outcome {
    const parentPath = this.parents.of(path);
    if (parentPath === undefined || SPECIAL_PATHS.has(path)) return ErrorCode.BADARGUMENTS;
    const parent = this.outstanding.get(parentPath);
    if (parent === undefined) return ErrorCode.NONODE;
    if (!this.isAllowed(parent, Perms.DELETE, author)) return ErrorCode.NOAUTH;
    const node = this.outstanding.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    if (node.childCount > 0) return ErrorCode.NOTEMPTY;
    this.markDeleted(node, parent);
    return { type: OpCode.delete, path };
  }

  /** Deletes an expired container or TTL node, whose state may have changed since. */
  prepareReap(path: string, stamp: Stamp): Prepared {
    this.begin(stamp);
    const node = this.outstanding.get(path);
    const kind = ephemeralTypeOf(node?.ephemeralOwner ?? 0n, this.options.isTTLEnabled);
    if (node === undefined || (kind !== 'container' && kind !== 'ttl')) {
      return this.refused(ErrorCode.NONODE);
    }
    if (node.childCount > 0) return this.refused(ErrorCode.NOTEMPTY);
    this.markDeleted(node);
    return this.prepared({ type: OpCode.deleteContainer, path });
  }

  private prepareSetData(input: InputArchive, author: Author): Outcome {
    const path = this.tree.readPath(input);
    const data = RequestData.read(input);
    const dataEnd = input.at;
    const version = input.readInt();
    const node = this.outstanding.get(path);
    if (node === undefined || path === '') return absent(path);
    if (!this.isAllowed(node, Perms.WRITE, author)) return ErrorCode.NOAUTH;
    if (this.isOverQuota(path, dataLength(data) - node.dataLength, 0)) {
      return ErrorCode.QUOTAEXCEEDED;
    }
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    const next = nextVersion(node.version);
    const { zxid, time } = this.stamp;
    const changed = this.outstanding.copy(node);
    changed.stat.setData(zxid, time, next, dataLength(data));
    const pathSum = changed.pathSum;
    const crc = this.contentCrc(path, pathSum, input.bytes, dataLength(data), dataEnd);
    changed.stat.setContentCrc(crc);
    this.keep(node, changed);
    return { type: OpCode.setData, path, data, version: next };
  }

  private prepareSetACL(input: InputArchive, author: Author): Outcome {
    const path = this.tree.readPath(input);
    const requestedAcl = readRequestedAcl(input);
    const version = input.readInt();
    if (pathFault(path) !== undefined) return ErrorCode.BADARGUMENTS;
    const acl = this.auth.fixUp(requestedAcl, author.ids);
    if (typeof acl === 'number') return acl;
    const node = this.outstanding.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.isAllowed(node, Perms.ADMIN, author)) return ErrorCode.NOAUTH;
    if (version !== -1 && version !== node.aversion) return ErrorCode.BADVERSION;
    const next = nextVersion(node.aversion);
    const changed = this.outstanding.copy(node);
    changed.acl = acl;
    changed.stat.setAversion(next);
    this.keep(node, changed);
    return { type: OpCode.setACL, path, acl, version: next };
  }

  private prepareReconfig(input: InputArchive, author: Author): Outcome {
    const { reconfigure } = this.options;
    if (reconfigure === null) return ErrorCode.RECONFIGDISABLED;
    const text = reconfigure(ReconfigRequest.read(input), this.stamp.zxid);
    if (typeof text === 'number') return text;
    const node = this.outstanding.get(CONFIG_PATH);
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.isAllowed(node, Perms.WRITE, author)) return ErrorCode.NOAUTH;
    const changed = this.outstanding.copy(node);
    const { zxid, time } = this.stamp;
    changed.stat.setData(zxid, time, -1, text.length);
    changed.stat.setContentCrc(contentCrc(CONFIG_PATH, text));
    this.keep(node, changed);
    return { type: OpCode.reconfig, path: CONFIG_PATH, data: text, version: -1 };
  }

  prepareCheck(path: string, version: number, author: Author): Outcome {
    const node = this.outstanding.get(path);
    if (node === undefined || path === '') return absent(path);
    if (!this.isAllowed(node, Perms.READ, author)) return ErrorCode.NOAUTH;
    if (version !== -1 && version !== node.version) return ErrorCode.BADVERSION;
    return { type: OpCode.check, path, version: nextVersion(node.version) };
  }

  /**
   * Later operations see earlier ones. If one fails, the txn holds error sub-txns: OK before it,
   * its error code, RUNTIMEINCONSISTENCY after it.
   */
  private prepareMulti(input: InputArchive, author: Author): Outcome {
    const ops = readOps(input);
    if (ops === undefined || !this.isServed(ops)) return ErrorCode.MARSHALLINGERROR;
    const txns: Txn[] = [];
    let failure: ErrorCode = ErrorCode.OK;
    let done = 0;
    const begun = this.auth.work.steps;
    for (const { type, body } of ops) {
      const isDear = this.auth.isTooDear(begun, author.ids);
      const outcome = isDear ? ErrorCode.MARSHALLINGERROR : this.tryOne(type, body, author);
      if (typeof outcome === 'number') {
        failure = outcome;
        break;
      }
      done++;
      if (outcome.type !== OpCode.multi) txns.push(outcome);
      else for (const txn of outcome.txns) txns.push(txn);
    }
    if (failure === ErrorCode.OK) return { type: OpCode.multi, txns };
    this.outstanding.rollBack(this.records);
    this.outstanding.checkPrepared(this.putsBefore);
    this.records = [];
    const errors = ops.map((_, i) => {
      if (i < done) return ErrorCode.OK;
      return i === done ? failure : ErrorCode.RUNTIMEINCONSISTENCY;
    });
    return { type: OpCode.multi, txns: errors.map((err) => ({ type: OpCode.error, err })) };
  }

  private isServed(ops: readonly { readonly type: number }[]): boolean {
    return this.keeper !== null || ops.every(({ type }) => type < FIRST_KEEPER_OP);
  }

  /** Deletes a znode without children. */
  remove(path: string): void {
    this.markDeleted(this.outstanding.get(path));
  }

  didWork(steps: number): void {
    this.auth.work.steps += steps;
  }

  takeRoom(bytes: number): boolean {
    this.room -= bytes;
    return this.room >= 0;
  }

  private markDeleted(
    node: ChangeRecord | undefined,
    parent = node && this.outstanding.get(this.parents.of(node.path) ?? '/'),
  ): void {
    if (node === undefined || parent === undefined) return;
    const left = this.outstanding.copy(parent);
    left.childCount--;
    left.stat.setPzxid(this.stamp.zxid);
    this.keep(parent, left);
    const gone = this.outstanding.copy(node);
    gone.exists = false;
    this.keep(node, gone);
  }

  private keep(before: ChangeRecord | null, after: ChangeRecord): void {
    this.outstanding.put(before, after);
    this.addRecords([after]);
  }

  /** An array that is pushed to reserves room for 17 elements, so most txns keep the given one. */
  private addRecords(records: ChangeRecord[]): void {
    if (this.records.length === 0) this.records = records;
    else this.records.push(...records);
  }

  /** Computed in place: the data ends at `dataEnd`. */
  private contentCrc(path: string, pathSum: number, bytes: Buffer, length: number, end: number) {
    if (!this.options.isDigestEnabled) return 0;
    return contentCrcOf(path, bytes, end - length, end, pathSum);
  }

  /** Continues the CRC-32 of the parent's path. */
  private pathSumBelow({ path, pathSum }: ChangeRecord, name: string): number {
    if (!this.options.isDigestEnabled) return 0;
    return path.length <= 1 ? pathCrc(name) : pathCrc(name, pathSum, path.length);
  }

  private isOverQuota(path: string, bytes: number, count: number): boolean {
    if (this.tree.quotas.size === 0) return false;
    let isOver = false;
    for (const excess of quotaExcesses(this.tree, this.outstanding.usage, path, bytes, count)) {
      const isRefused = excess.isHard && this.options.isQuotaEnforced;
      this.onQuotaExceeded(excess, isRefused);
      isOver ||= isRefused;
    }
    return isOver;
  }

  isAllowed(node: ChangeRecord, perm: number, author: Author): boolean {
    return this.auth.isAllowed(node.acl, perm, author.ids);
  }
}

/** An invalid path is a bad argument; the path of an existing znode is always valid. */
function absent(path: string): ErrorCode {
  return pathFault(path) === undefined ? ErrorCode.NONODE : ErrorCode.BADARGUMENTS;
}
