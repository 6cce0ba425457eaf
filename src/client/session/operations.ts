/**
 * The operations of a client: the body of each request, and the value of each reply. Hand-written,
 * because they take most of a client's time under load. Tests compare them with protocol/proto.ts.
 */
import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { type ACL, ACLVector, type ClientInfo, Stat } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { WhoAmIResponse } from '../../protocol/proto.js';
import { toClientPath } from '../base/chroot.js';
import type { CreateResult } from '../base/client.js';
import type { Operation } from './request.js';

export interface PathArgs {
  /** A server path, as in all arguments of this file. */
  readonly path: string;
}
export interface ReadArgs extends PathArgs {
  readonly watch: boolean;
}
export interface VersionArgs extends PathArgs {
  readonly version: number;
}
export interface CreateArgs extends PathArgs {
  readonly chroot: string;
  readonly data: Uint8Array | null;
  readonly acl: readonly ACL[];
  readonly flags: number;
  /** Milliseconds; only for createTTL. */
  readonly ttl: number;
}
export interface SetDataArgs extends VersionArgs {
  readonly data: Uint8Array | null;
}

export function readStat(input: InputArchive): Stat {
  return new Stat({
    czxid: input.readLong(),
    mzxid: input.readLong(),
    ctime: input.readLong(),
    mtime: input.readLong(),
    version: input.readInt(),
    cversion: input.readInt(),
    aversion: input.readInt(),
    ephemeralOwner: input.readLong(),
    dataLength: input.readInt(),
    numChildren: input.readInt(),
    pzxid: input.readLong(),
  });
}

export function readString(input: InputArchive): string {
  const value = input.readString();
  if (value === null) throw new JuteError('expected a string, found null');
  return value;
}

export function readStrings(input: InputArchive): string[] {
  const count = input.readCount(4);
  const values: string[] = [];
  for (let i = 0; i < count; i++) values.push(readString(input));
  return values;
}

/** Copies, because the connection reuses the archive's bytes. */
function readData(input: InputArchive): Buffer | null {
  const view = input.readBuffer();
  return view === null ? null : Buffer.from(view);
}

export function writeCreateBody(out: OutputArchive, args: CreateArgs): void {
  out.writeString(args.path);
  out.writeBuffer(args.data);
  ACLVector.write(out, args.acl);
  out.writeInt(args.flags);
}

function readCreated(input: InputArchive, args: CreateArgs): CreateResult {
  const path = toClientPath(args.chroot, readString(input));
  return { path, stat: readStat(input) };
}

function writeRead(out: OutputArchive, args: ReadArgs): void {
  out.writeString(args.path);
  out.writeBool(args.watch);
}

function writePath(out: OutputArchive, args: PathArgs): void {
  out.writeString(args.path);
}

function writeVersion(out: OutputArchive, args: VersionArgs): void {
  out.writeString(args.path);
  out.writeInt(args.version);
}

function writeNothing(): void {}
function readNothing(): void {}

export const create: Operation<CreateArgs, CreateResult> = {
  code: OpCode.create2,
  isWrite: true,
  write: writeCreateBody,
  read: readCreated,
};

export const createContainer: Operation<CreateArgs, CreateResult> = {
  ...create,
  code: OpCode.createContainer,
};

export const createTTL: Operation<CreateArgs, CreateResult> = {
  code: OpCode.createTTL,
  isWrite: true,
  write: (out, args) => {
    writeCreateBody(out, args);
    out.writeLong(BigInt(args.ttl));
  },
  read: readCreated,
};

export function createOperation(code: number): Operation<CreateArgs, CreateResult> {
  if (code === OpCode.createTTL) return createTTL;
  return code === OpCode.createContainer ? createContainer : create;
}

export const deleteNode: Operation<VersionArgs, void> = {
  code: OpCode.delete,
  isWrite: true,
  write: writeVersion,
  read: readNothing,
};

export const exists: Operation<ReadArgs, Stat | null> = {
  code: OpCode.exists,
  watchKind: 'exists',
  noNodeValue: null,
  write: writeRead,
  read: readStat,
};

export const getData: Operation<ReadArgs, { data: Buffer | null; stat: Stat }> = {
  code: OpCode.getData,
  watchKind: 'data',
  write: writeRead,
  read: (input) => {
    const data = readData(input);
    return { data, stat: readStat(input) };
  },
};

export const setData: Operation<SetDataArgs, Stat> = {
  code: OpCode.setData,
  isWrite: true,
  write: (out, args) => {
    out.writeString(args.path);
    out.writeBuffer(args.data);
    out.writeInt(args.version);
  },
  read: readStat,
};

export const getACL: Operation<PathArgs, { acl: readonly ACL[]; stat: Stat }> = {
  code: OpCode.getACL,
  write: writePath,
  read: (input) => {
    const acl = ACLVector.read(input);
    return { acl, stat: readStat(input) };
  },
};

export const setACL: Operation<VersionArgs & { readonly acl: readonly ACL[] }, Stat> = {
  code: OpCode.setACL,
  isWrite: true,
  write: (out, args) => {
    out.writeString(args.path);
    ACLVector.write(out, args.acl);
    out.writeInt(args.version);
  },
  read: readStat,
};

export const getChildren: Operation<ReadArgs, { children: readonly string[]; stat: Stat }> = {
  code: OpCode.getChildren2,
  watchKind: 'child',
  write: writeRead,
  read: (input) => {
    const children = readStrings(input);
    return { children, stat: readStat(input) };
  },
};

export const getAllChildrenNumber: Operation<PathArgs, number> = {
  code: OpCode.getAllChildrenNumber,
  write: writePath,
  read: (input) => input.readInt(),
};

export const getEphemerals: Operation<PathArgs & { readonly chroot: string }, readonly string[]> = {
  code: OpCode.getEphemerals,
  write: writePath,
  read: (input, args) => readStrings(input).map((path) => toClientPath(args.chroot, path)),
};

export const sync: Operation<PathArgs, void> = {
  code: OpCode.sync,
  write: writePath,
  read: readNothing,
};

export const whoAmI: Operation<void, readonly ClientInfo[]> = {
  code: OpCode.whoAmI,
  write: writeNothing,
  read: (input) => WhoAmIResponse.read(input).clientInfo,
};

/** The body of its reply is an unused int 0. */
const addWatchBase: Omit<Operation<PathArgs & { readonly mode: number }, void>, 'watchKind'> = {
  code: OpCode.addWatch,
  write: (out, args) => {
    out.writeString(args.path);
    out.writeInt(args.mode);
  },
  read: readNothing,
};
export const addPersistentWatch: Operation<PathArgs & { readonly mode: number }, void> = {
  ...addWatchBase,
  watchKind: 'persistent',
};
export const addRecursiveWatch: Operation<PathArgs & { readonly mode: number }, void> = {
  ...addWatchBase,
  watchKind: 'recursive',
};

/** `removed` is called before the caller's promise resolves, in the order of the replies. */
export interface RemoveWatchesArgs extends PathArgs {
  readonly type: number;
  readonly removed: () => void;
}
export const removeWatches: Operation<RemoveWatchesArgs, void> = {
  code: OpCode.removeWatches,
  write: (out, args) => {
    out.writeString(args.path);
    out.writeInt(args.type);
  },
  read: (_input, args) => args.removed(),
};

/** Checks that the server has a watch, when only one of several watchers is removed. */
export const checkWatches: Operation<RemoveWatchesArgs, void> = {
  ...removeWatches,
  code: OpCode.checkWatches,
};

export interface ReconfigArgs {
  readonly joining: string | null;
  readonly leaving: string | null;
  readonly members: string | null;
  readonly fromConfig: bigint;
}
export const reconfig: Operation<ReconfigArgs, { data: Buffer | null; stat: Stat }> = {
  code: OpCode.reconfig,
  isWrite: true,
  write: (out, args) => {
    out.writeString(args.joining);
    out.writeString(args.leaving);
    out.writeString(args.members);
    out.writeLong(args.fromConfig);
  },
  read: (input, _args) => {
    const data = readData(input);
    return { data, stat: readStat(input) };
  },
};

export const closeSession: Operation<void, void> = {
  code: OpCode.closeSession,
  write: writeNothing,
  read: readNothing,
};
