/**
 * The snapshot (FileSnap, SerializeUtils, DataTree.serialize), written and read in pieces.
 *
 * ```
 *   "ZKSN" | int 2 | long -1
 *   int count | { long session id, int timeout in ms } …
 *   int count | { long key, vector of ACL } …
 *   { string path, buffer data, long acl key, StatPersisted } …      parents before children
 *   string "/"                                                       no node has this path
 *   seal = long Adler-32 of all bytes so far | string "/"
 *   long zxid | int 2 | long digest | seal                           3.6 and later
 *   long lastProcessedZxid | seal                                    3.9 and later
 * ```
 *
 * The root's path is "". ACL key -1 is world:anyone:ALL, which every server knows without writing
 * it. A snapshot is fuzzy: txns may be applied while it is written. Replaying the log from the zxid
 * of its name must produce the same tree.
 */

import { assert } from '../base/assert.js';
import { adler32 } from '../base/checksum.js';
import { OutputArchive } from '../jute/output-archive.js';
import { type ACL, ACLVector, StatPersisted } from '../protocol/data.js';
import { SNAP_MAGIC } from '../protocol/persistence.js';

export const SNAPSHOT_VERSION = 2;
const SNAPSHOT_DBID = -1n;
/** The key of world:anyone:ALL. */
export const OPEN_ACL_KEY = -1n;
const DEFAULT_CHUNK_SIZE = 128 * 1024;

export interface SnapshotSession {
  readonly id: bigint;
  readonly timeoutMs: number;
}

export interface SnapshotAcl {
  readonly key: bigint;
  readonly acl: readonly ACL[];
}

/** A znode that writes itself, such as one of the tree. */
export interface WritableNode {
  writeTo(out: OutputArchive): void;
}

/** The same object may be reused: it is written before the next is requested. */
export interface SnapshotNode {
  /** "" for the root. */
  readonly path: string;
  /** In a string, each character is one byte. */
  readonly data: Buffer | string | null;
  readonly aclKey: bigint | number;
  /** The record, or its 60 bytes. */
  readonly stat: StatPersisted | Buffer;
}

export interface SnapshotDigest {
  readonly zxid: bigint;
  readonly version: number;
  readonly digest: bigint;
}

/** Sessions and ACLs are read at once, nodes piece by piece. */
export interface SnapshotSource {
  /** Names the file: every txn up to it is in the tree. Not written. */
  readonly zxid: bigint;
  readonly sessions: Iterable<SnapshotSession>;
  readonly acls: Iterable<SnapshotAcl>;
  /** Parents first. A Buffer has encoded nodes. Null ends the chunk: more input is needed. */
  readonly nodes: Iterable<SnapshotNode | WritableNode | Buffer | null>;
  readonly digest?: SnapshotDigest | undefined;
  /** Written only after a digest, where Apache's reader expects it. */
  readonly lastProcessedZxid?: bigint | undefined;
}

/**
 * Yields chunks of about `chunkSize` bytes, and reads from `source` only on demand.
 * @param isReused each chunk has the memory of the last one, which saves the garbage collector a
 * run for every few MiB of a large tree
 */
export function* writeSnapshot(
  source: SnapshotSource,
  chunkSize = DEFAULT_CHUNK_SIZE,
  isReused = false,
): Generator<Buffer, void, undefined> {
  const out = new OutputArchive(chunkSize + 1024);
  const file = new SealedOutput(out, isReused);
  out.writeInt(SNAP_MAGIC);
  out.writeInt(SNAPSHOT_VERSION);
  out.writeLong(SNAPSHOT_DBID);
  yield* writeBody(source, out, chunkSize, () => file.take());
  file.seal();
  if (source.digest !== undefined) {
    out.writeLong(source.digest.zxid);
    out.writeInt(source.digest.version);
    out.writeLong(source.digest.digest);
    file.seal();
    if (source.lastProcessedZxid !== undefined) {
      out.writeLong(source.lastProcessedZxid);
      file.seal();
    }
  }
  yield file.take();
}

/**
 * Yields the tree for SNAP, without header, digest, and seals. The signature at the end tells a
 * learner that the tree is complete (LearnerHandler.run).
 */
export function* writeSnapshotStream(
  source: Pick<SnapshotSource, 'sessions' | 'acls' | 'nodes'>,
  signature: string,
  chunkSize = DEFAULT_CHUNK_SIZE,
): Generator<Buffer, void, undefined> {
  const out = new OutputArchive(chunkSize + 1024);
  yield* writeBody(source, out, chunkSize, () => out.take());
  out.writeString(signature);
  yield out.take();
}

function* writeBody(
  source: Pick<SnapshotSource, 'sessions' | 'acls' | 'nodes'>,
  out: OutputArchive,
  chunkSize: number,
  take: () => Buffer,
): Generator<Buffer, void, undefined> {
  writeSessions(out, source.sessions);
  writeAcls(out, source.acls);
  for (const node of source.nodes) {
    if (node instanceof Uint8Array) out.writeBytes(node);
    else if (node !== null && 'writeTo' in node) node.writeTo(out);
    else if (node !== null) writeNode(out, node);
    if (node === null || out.length >= chunkSize) yield take();
  }
  out.writeString('/');
}

class SealedOutput {
  private readonly out: OutputArchive;
  private readonly isReused: boolean;
  /** The Adler-32 of all bytes of the file up to `summed`. */
  private sum = 1;
  /** The offset in `out` up to which `sum` counts; 0 after a chunk was taken. */
  private summed = 0;

  constructor(out: OutputArchive, isReused: boolean) {
    this.out = out;
    this.isReused = isReused;
  }

  seal(): void {
    this.addUp();
    this.out.writeLongParts(0, this.sum);
    this.out.writeString('/');
  }

  take(): Buffer {
    this.addUp();
    this.summed = 0;
    if (!this.isReused) return this.out.take();
    const chunk = this.out.view();
    this.out.reset();
    return chunk;
  }

  private addUp(): void {
    assert(this.summed <= this.out.length, 'file: bytes were taken before they were summed');
    this.sum = adler32(this.out.memory, this.summed, this.out.length, this.sum);
    this.summed = this.out.length;
  }
}

function writeSessions(out: OutputArchive, sessions: Iterable<SnapshotSession>): void {
  const at = out.skip(4);
  let count = 0;
  for (const { id, timeoutMs } of sessions) {
    out.writeLong(id);
    out.writeInt(timeoutMs);
    count++;
  }
  out.patchInt(at, count);
}

function writeAcls(out: OutputArchive, acls: Iterable<SnapshotAcl>): void {
  const at = out.skip(4);
  let count = 0;
  for (const { key, acl } of acls) {
    out.writeLong(key);
    ACLVector.write(out, acl);
    count++;
  }
  out.patchInt(at, count);
}

function writeNode(out: OutputArchive, { path, data, aclKey, stat }: SnapshotNode): void {
  out.writeString(path);
  if (typeof data === 'string') out.writeLatin1(data);
  else out.writeBuffer(data);
  if (typeof aclKey === 'bigint') out.writeLong(aclKey);
  else writeAclKey(out, aclKey);
  if (stat instanceof Uint8Array) out.writeBytes(stat);
  else StatPersisted.write(out, stat);
}

export function writeAclKey(out: OutputArchive, key: number): void {
  out.writeLongParts(Math.floor(key / 0x1_0000_0000), key | 0);
}
