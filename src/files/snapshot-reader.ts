import { adler32 } from '../base/checksum.js';
import { InputArchive } from '../jute/input-archive.js';
import { JuteError } from '../jute/jute-error.js';
import { type ACL, ACLVector, STAT_PERSISTED_SIZE } from '../protocol/data.js';
import { SNAP_MAGIC } from '../protocol/persistence.js';
import { ByteWindow } from './byte-window.js';
import { decodeNode, type NodePlace } from './node-place.js';
import { SNAPSHOT_VERSION } from './snapshot.js';

export type SnapshotItem =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'session'; readonly id: bigint; readonly timeoutMs: number }
  | { readonly kind: 'acl'; readonly key: bigint; readonly acl: readonly ACL[] }
  /** `data` and the 60 bytes of `stat` are views, valid until the next `push` or `next`. */
  | {
      readonly kind: 'node';
      readonly path: string;
      readonly data: Buffer | null;
      readonly aclKey: bigint;
      readonly stat: Buffer;
    }
  /** The first seal is valid: sessions, ACLs, and nodes are complete. */
  | { readonly kind: 'valid' }
  /** `digest` is null for old versions, which are not compared. */
  | {
      readonly kind: 'digest';
      readonly zxid: bigint;
      readonly version: number;
      readonly digest: bigint | null;
    }
  | { readonly kind: 'lastProcessedZxid'; readonly zxid: bigint }
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid'; readonly offset: number; readonly reason: string };

/**
 * Reads the format in snapshot.ts: a pull parser over pushed chunks that holds one chunk and one
 * node. Trust no item before `valid` and no file before `end`, because damage may follow.
 */

const HEADER_SIZE = 16;
/** long checksum, string "/". */
const SEAL_SIZE = 13;
/** long zxid and a seal. */
const LAST_PROCESSED_SIZE = 8 + SEAL_SIZE;
/** Digests since version 2 are longs; earlier ones were hex strings. */
const FIRST_LONG_DIGEST = 2;
/** Larger than the sections after the first seal can be. */
const MAX_TAIL = 1024;
/** Twice jute.maxbuffer, as in Apache's reader. */
const DEFAULT_MAX_LENGTH = 2 * 0xfffff;

const NEED_MORE: SnapshotItem = { kind: 'need-more' };
const END: SnapshotItem = { kind: 'end' };

type Stage = 'header' | 'sessions' | 'acls' | 'nodes' | 'seal' | 'tail';

export class SnapshotReader {
  private readonly maxLength: number;
  private readonly window = new ByteWindow();
  private readonly input = new InputArchive(Buffer.alloc(0));
  /** The section being read; it only moves forward. */
  private stage: Stage = 'header';
  /** Sessions or ACLs to read; -1 before their count. */
  private left = -1;
  /** Adler-32 of the file up to `summed`, an offset in the window. */
  private sum = 1;
  /** The offset in the window up to which `sum` counts. */
  private summed = 0;
  /** No more chunks come. */
  private isEnded = false;
  private readonly isFile: boolean;
  /** The final item; null while others may follow. */
  private last: SnapshotItem | null = null;
  private readonly tail: SnapshotItem[] = [];
  readonly node: NodePlace = { bytes: Buffer.alloc(0), start: 0, pathEnd: 0, dataEnd: 0, end: 0 };

  /**
   * @param maxLength longest path, data, or ACL in bytes: jute.maxbuffer and its extra size
   * @param form `body` is the content of SNAP: no header or seals, `end` comes after the nodes
   */
  constructor(maxLength = DEFAULT_MAX_LENGTH, form: 'file' | 'body' = 'file') {
    this.maxLength = maxLength;
    this.isFile = form === 'file';
    if (!this.isFile) this.stage = 'sessions';
  }

  /** A copy of the unread bytes, which follow a body. */
  takeRest(): Buffer {
    const { window } = this;
    const rest = Buffer.from(window.bytes.subarray(window.at, window.end));
    window.at = window.end;
    return rest;
  }

  get offset(): number {
    return this.window.offset;
  }

  /** The chunk may be overwritten once `next` returned need-more. */
  push(chunk: Buffer): void {
    this.addUp();
    this.window.push(chunk);
    this.summed = this.window.at;
  }

  end(): void {
    this.isEnded = true;
  }

  next(): SnapshotItem {
    if (this.last !== null) return this.last;
    try {
      const item = this.read();
      if (item !== null) {
        if (item.kind === 'end') this.last = item;
        return item;
      }
      if (!this.isEnded) return this.needMore();
      return this.invalid(`the file ends inside its ${this.stage}`);
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      return this.invalid(error.message);
    }
  }

  private invalid(reason: string): SnapshotItem {
    this.last = { kind: 'invalid', offset: this.window.offset, reason };
    return this.last;
  }

  private needMore(): SnapshotItem {
    this.addUp();
    this.window.settle();
    this.summed = this.window.at;
    return NEED_MORE;
  }

  private addUp(): void {
    if (!this.isFile) return;
    this.sum = adler32(this.window.bytes, this.summed, this.window.at, this.sum);
    this.summed = this.window.at;
  }

  private read(): SnapshotItem | null {
    switch (this.stage) {
      case 'header':
        return this.readHeader();
      case 'sessions':
        return this.readSession();
      case 'acls':
        return this.readAcl();
      case 'nodes':
        return this.readNode();
      case 'seal':
        return this.readFirstSeal();
      case 'tail':
        return this.readTail();
    }
  }

  private readHeader(): SnapshotItem | null {
    const { window } = this;
    if (window.available < HEADER_SIZE) return null;
    const magic = window.bytes.readInt32BE(window.at);
    const version = window.bytes.readInt32BE(window.at + 4);
    if (magic !== SNAP_MAGIC) {
      throw new JuteError(`wrong magic: ${(magic >>> 0).toString(16)} (expected "ZKSN")`);
    }
    if (version !== SNAPSHOT_VERSION) {
      throw new JuteError(`wrong version: ${version} (expected ${SNAPSHOT_VERSION})`);
    }
    window.at += HEADER_SIZE;
    return this.enter('sessions');
  }

  private enter(stage: Stage): SnapshotItem | null {
    this.stage = stage;
    this.left = -1;
    return this.read();
  }

  /** Reads the count before a list; false while it is incomplete. */
  private hasCount(): boolean {
    if (this.left >= 0) return true;
    const { window } = this;
    if (window.available < 4) return false;
    const count = window.bytes.readInt32BE(window.at);
    if (count < 0) throw new JuteError(`invalid count of ${this.stage}: ${count}`);
    window.at += 4;
    this.left = count;
    return true;
  }

  private readSession(): SnapshotItem | null {
    const { window } = this;
    if (!this.hasCount()) return null;
    if (this.left === 0) return this.enter('acls');
    if (window.available < 12) return null;
    this.left--;
    const id = window.bytes.readBigInt64BE(window.at);
    const timeoutMs = window.bytes.readInt32BE(window.at + 8);
    window.at += 12;
    return { kind: 'session', id, timeoutMs };
  }

  private readAcl(): SnapshotItem | null {
    const { window } = this;
    if (!this.hasCount()) return null;
    if (this.left === 0) return this.enter('nodes');
    const end = this.aclEnd();
    if (end < 0) return null;
    this.left--;
    const input = this.input.reset(window.bytes, window.at, end);
    const key = input.readLong();
    const acl = ACLVector.read(input);
    window.at = end;
    return { kind: 'acl', key, acl };
  }

  /** The end of {long key, vector of ACL} at the window's start, or -1 while it is incomplete. */
  private aclEnd(): number {
    const { window } = this;
    if (window.available < 12) return -1;
    const count = window.bytes.readInt32BE(window.at + 8);
    if (count < -1) throw new JuteError(`invalid count: ${count}`);
    let at = window.at + 12;
    for (let i = 0; i < count; i++) {
      at = this.bufferEnd(at + 4);
      if (at >= 0) at = this.bufferEnd(at);
      if (at < 0) return -1;
      if (at - window.at > this.maxLength) {
        throw new JuteError(`ACL too long (expected at most ${this.maxLength} bytes)`);
      }
    }
    return at;
  }

  /** The end of the buffer or string at `at`, or -1 while it is incomplete. */
  private bufferEnd(at: number): number {
    const { window } = this;
    if (at + 4 > window.end) return -1;
    const length = window.bytes.readInt32BE(at);
    if (length < -1) throw new JuteError(`invalid length: ${length}`);
    if (length > this.maxLength) {
      throw new JuteError(`too long: ${length} bytes (expected at most ${this.maxLength})`);
    }
    const end = at + 4 + (length < 0 ? 0 : length);
    return end > window.end ? -1 : end;
  }

  private readNode(): SnapshotItem | null {
    if (!this.findNode()) return null;
    const { node } = this;
    this.window.at = node.end;
    if (node.dataEnd === node.pathEnd) return this.isFile ? this.enter('seal') : END;
    return { kind: 'node', ...decodeNode(node) };
  }

  /** Skips the next whole node, and puts its place into `node`. `next` reports a damaged one. */
  skipNode(): boolean {
    const { node, window } = this;
    if (this.stage !== 'nodes' || this.last !== null || !this.hasNode()) return false;
    if (node.dataEnd === node.pathEnd) return false;
    window.at = node.end;
    return true;
  }

  private hasNode(): boolean {
    try {
      return this.findNode();
    } catch (error) {
      if (error instanceof JuteError) return false;
      throw error;
    }
  }

  /** Fills `node`; the end mark has no data. False while it is incomplete. */
  private findNode(): boolean {
    const { window, node } = this;
    const { bytes, at } = window;
    const pathEnd = this.bufferEnd(at);
    if (pathEnd < 0) return false;
    if (bytes.readInt32BE(at) < 0) throw new JuteError('node without a path');
    const isMark = pathEnd === at + 5 && bytes[at + 4] === 0x2f;
    const dataEnd = isMark ? pathEnd : this.bufferEnd(pathEnd);
    const end = isMark ? pathEnd : dataEnd + 8 + STAT_PERSISTED_SIZE;
    if (dataEnd < 0 || end > window.end) return false;
    node.bytes = bytes;
    node.start = at;
    node.pathEnd = pathEnd;
    node.dataEnd = dataEnd;
    node.end = end;
    return true;
  }

  private readFirstSeal(): SnapshotItem | null {
    if (this.window.available < SEAL_SIZE) return null;
    this.readSeal();
    this.stage = 'tail';
    return { kind: 'valid' };
  }

  private readSeal(): void {
    const { window } = this;
    this.addUp();
    const input = this.input.reset(window.bytes, window.at, window.end);
    const found = input.readLong();
    if (found !== BigInt(this.sum)) {
      throw new JuteError(`wrong checksum: ${found} (expected ${this.sum})`);
    }
    if (input.readString() !== '/') throw new JuteError('wrong text after a seal (expected "/")');
    window.at = input.at;
  }

  /** Waits for the whole rest, because only its length shows which sections it has. */
  private readTail(): SnapshotItem | null {
    const { window, tail } = this;
    if (!this.isEnded) {
      if (window.available > MAX_TAIL) throw new JuteError('too many bytes after the first seal');
      return null;
    }
    const item = tail.shift();
    if (item !== undefined) return item;
    if (window.available === 0) return END;
    if (window.available === LAST_PROCESSED_SIZE) {
      const zxid = window.bytes.readBigInt64BE(window.at);
      window.at += 8;
      tail.push({ kind: 'lastProcessedZxid', zxid });
    } else {
      tail.push(this.readDigest());
    }
    this.readSeal();
    return this.readTail();
  }

  private readDigest(): SnapshotItem {
    const { window } = this;
    const input = this.input.reset(window.bytes, window.at, window.end);
    const zxid = input.readLong();
    const version = input.readInt();
    let digest: bigint | null = null;
    if (version >= FIRST_LONG_DIGEST) digest = input.readLong();
    else input.readString();
    window.at = input.at;
    return { kind: 'digest', zxid, version, digest };
  }
}
