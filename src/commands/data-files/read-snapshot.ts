// Reads and verifies a snapshot of any size in constant memory, compressed or not.

import { stat } from 'node:fs/promises';
import { DIGEST_STAT_SIZE, nodeDigest, orderPersisted, TreeDigest } from '../../files/digest.js';
import { type SnapshotItem, SnapshotReader } from '../../files/snapshot-reader.js';
import { uncompressed } from '../../files/uncompressed.js';
import { type OpenFile, openPlain, type ReadHandle } from './open-file.js';
import { reading } from './reading.js';

const READ_SIZE = 256 * 1024;
/** In a StatPersisted. Neither is below the znode's czxid. */
const MZXID_OFFSET = 8;
const PZXID_OFFSET = 52;

export type SnapshotNode = Extract<SnapshotItem, { kind: 'node' }>;
export type SnapshotSession = Extract<SnapshotItem, { kind: 'session' }>;
export type SnapshotAcl = Extract<SnapshotItem, { kind: 'acl' }>;

export interface SnapshotTaker<Value> {
  readonly session?: (session: SnapshotSession) => void;
  readonly acl?: (acl: SnapshotAcl) => void;
  /** `digest` covers path, data, and the Stat without pzxid; 0 for znodes that servers skip. */
  readonly node: (node: SnapshotNode, digest: number) => Value | undefined;
  /** True skips the digests, because the file was verified before. */
  readonly isKnown?: boolean;
}

export type Compression = 'none' | 'gzip' | 'snappy';

export interface SnapshotOutcome {
  readonly compression: Compression;
  /** Bytes of the file. */
  readonly size: number;
  readonly sessions: number;
  readonly acls: number;
  readonly nodes: number;
  /** Bytes of paths and data, as approximate_data_size counts them. */
  readonly dataBytes: number;
  /** The digest of the tree in the file, version 2. */
  readonly digest: bigint;
  /** From the end of the file; the digest is null for an old version. */
  readonly storedDigest: { readonly zxid: bigint; readonly digest: bigint | null } | undefined;
  readonly lastProcessedZxid: bigint | undefined;
  /** The newest txn that the Stat of any znode names. */
  readonly newestZxid: bigint;
  /** Set unless the file is whole. The offset counts uncompressed bytes. */
  readonly fault: { readonly offset: number; readonly reason: string } | undefined;
}

export interface ReadSnapshotOptions {
  readonly open?: OpenFile | undefined;
  readonly maxEntry: number;
  readonly signal: AbortSignal;
  readonly onBytes: (done: number) => void;
}

/** Reads the first bytes, because a copy may have any name. */
async function compressionOf(path: string, handle: ReadHandle): Promise<Compression> {
  const buffer = Buffer.alloc(8);
  await reading(path, handle.read(buffer, 0, buffer.length, 0));
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) return 'gzip';
  return buffer.toString('latin1', 1, 7) === 'SNAPPY' ? 'snappy' : 'none';
}

export async function* snapshotBytes(path: string, open = openPlain): AsyncGenerator<Buffer> {
  const handle = await reading(path, open(path));
  try {
    const compression = await compressionOf(path, handle);
    yield* unpacked(
      piecesOf(handle, () => undefined),
      compression,
    );
  } finally {
    await handle.close();
  }
}

/** The receiver may keep a piece. */
async function* piecesOf(
  handle: ReadHandle,
  onBytes: (done: number) => void,
): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const piece = Buffer.allocUnsafe(READ_SIZE);
    const { bytesRead } = await handle.read(piece, 0, READ_SIZE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    onBytes(position);
    yield piece.subarray(0, bytesRead);
  }
}

function unpacked(source: AsyncGenerator<Buffer>, compression: Compression): AsyncIterable<Buffer> {
  return uncompressed(source, compression === 'gzip' ? 'gz' : compression);
}

/** Yields the results of `taker` in batches; returns the result for the snapshot. */
export async function* readSnapshot<Value>(
  path: string,
  taker: SnapshotTaker<Value>,
  options: ReadSnapshotOptions,
): AsyncGenerator<Value[], SnapshotOutcome, undefined> {
  const { size } = await reading(path, stat(path));
  const handle = await reading(path, (options.open ?? openPlain)(path));
  try {
    return yield* readPieces(path, handle, size, taker, options);
  } finally {
    await handle.close();
  }
}

async function* readPieces<Value>(
  path: string,
  handle: ReadHandle,
  size: number,
  taker: SnapshotTaker<Value>,
  options: ReadSnapshotOptions,
): AsyncGenerator<Value[], SnapshotOutcome, undefined> {
  const compression = await compressionOf(path, handle);
  const fold = new SnapshotFold(taker);
  const reader = new SnapshotReader(options.maxEntry);
  let offset = 0;
  try {
    for await (const chunk of unpacked(piecesOf(handle, options.onBytes), compression)) {
      options.signal.throwIfAborted();
      offset += chunk.length;
      reader.push(chunk);
      const batch = fold.take(reader);
      if (batch.length > 0) yield batch;
      if (fold.isOver) break;
    }
  } catch (error) {
    if (options.signal.aborted || !(error instanceof Error)) throw error;
    const what = compression === 'none' ? '' : `the ${compression} stream is damaged: `;
    return fold.outcome(compression, size, { offset, reason: `${what}${error.message}` });
  }
  if (!fold.isOver) {
    reader.end();
    const batch = fold.take(reader);
    if (batch.length > 0) yield batch;
  }
  return fold.outcome(compression, size, undefined);
}

class SnapshotFold<Value> {
  isOver = false;
  private readonly taker: SnapshotTaker<Value>;
  private readonly stat60 = Buffer.alloc(DIGEST_STAT_SIZE);
  private readonly digest = new TreeDigest();
  private sessions = 0;
  private acls = 0;
  private nodes = 0;
  private dataBytes = 0;
  private storedDigest: SnapshotOutcome['storedDigest'];
  private lastProcessedZxid: bigint | undefined;
  private newestZxid = 0n;
  private fault: SnapshotOutcome['fault'];

  constructor(taker: SnapshotTaker<Value>) {
    this.taker = taker;
  }

  take(reader: SnapshotReader): Value[] {
    const batch: Value[] = [];
    for (;;) {
      const item = reader.next();
      switch (item.kind) {
        case 'need-more':
          return batch;
        case 'node':
          this.takeNode(item, batch);
          break;
        case 'session':
          this.sessions++;
          this.taker.session?.(item);
          break;
        case 'acl':
          this.acls++;
          this.taker.acl?.(item);
          break;
        case 'digest':
          this.storedDigest = { zxid: item.zxid, digest: item.digest };
          break;
        case 'lastProcessedZxid':
          this.lastProcessedZxid = item.zxid;
          break;
        case 'invalid':
          this.fault = { offset: item.offset, reason: item.reason };
          this.isOver = true;
          return batch;
        case 'end':
          this.isOver = true;
          return batch;
        case 'valid':
          break;
      }
    }
  }

  private takeNode(node: SnapshotNode, batch: Value[]): void {
    this.nodes++;
    this.dataBytes += Buffer.byteLength(node.path) + (node.data?.length ?? 0);
    for (const offset of [MZXID_OFFSET, PZXID_OFFSET]) {
      const zxid = node.stat.readBigInt64BE(offset);
      if (zxid > this.newestZxid) this.newestZxid = zxid;
    }
    const digest = this.taker.isKnown === true ? 0 : this.digestOf(node);
    const value = this.taker.node(node, digest);
    if (value !== undefined) batch.push(value);
  }

  private digestOf({ path, data, stat }: SnapshotNode): number {
    orderPersisted(stat, this.stat60);
    const digest = nodeDigest(path, data, this.stat60);
    this.digest.add(digest);
    return digest;
  }

  outcome(
    compression: Compression,
    size: number,
    fault: SnapshotOutcome['fault'],
  ): SnapshotOutcome {
    return {
      compression,
      size,
      sessions: this.sessions,
      acls: this.acls,
      nodes: this.nodes,
      dataBytes: this.dataBytes,
      digest: this.digest.value,
      storedDigest: this.storedDigest,
      lastProcessedZxid: this.lastProcessedZxid,
      newestZxid: this.newestZxid,
      fault: fault ?? this.fault,
    };
  }
}
