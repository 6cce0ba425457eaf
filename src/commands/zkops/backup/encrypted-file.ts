// An encrypted file of a backup. It can grow, and be cut:
//
//   magic (16 bytes), salt (16 bytes), then chunks:
//   length (4), nonce (12), Adler-32 of both (4), AES-256-GCM ciphertext (length), tag (16)
//
// The key of the file is made from the key of the backup and the salt. The tag of a chunk covers
// the name of the file and the number of the chunk, so that no chunk passes for another one. A
// crash leaves at most an incomplete chunk, which does not count. Who can write to the folder can
// also cut off chunks at the end: the txns of an earlier moment remain.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { adler32 } from '../../../base/checksum.js';
import { DamagedBytes, type OpenFile } from '../../data-files/open-file.js';
import { runFault } from '../../ensemble/run-fault.js';
import { PlainFile, type WrittenFile, writeFully } from './written-file.js';

const MAGIC = Buffer.from('zkops-aes256gcm1');
const SALT_SIZE = 16;
const START = MAGIC.length + SALT_SIZE;
const NONCE_SIZE = 12;
const HEAD_SIZE = 4 + NONCE_SIZE + 4;
const TAG_SIZE = 16;
/** A longer write becomes several chunks. */
const MAX_CHUNK = 1024 * 1024;
const CIPHER = 'aes-256-gcm';

interface Chunk {
  /** The place of its first byte in the decrypted file. */
  readonly offset: number;
  readonly length: number;
  /** The place of its head in the file. */
  readonly at: number;
}

export class EncryptedFile implements WrittenFile {
  private readonly handle: number;
  private readonly name: string;
  private readonly key: Buffer;
  private readonly chunks: Chunk[] = [];
  /** After the last whole chunk, in the file. */
  private end = START;
  private pending: Buffer[] = [];
  private pendingSize = 0;
  /** Reads come in order, and several of them from one chunk. */
  private decrypted: { readonly chunk: Chunk; readonly bytes: Buffer } | undefined;

  private constructor(handle: number, path: string, salt: Buffer, backupKey: Buffer) {
    this.handle = handle;
    this.name = basename(path);
    this.key = Buffer.from(hkdfSync('sha256', backupKey, salt, 'zkops backup file', 32));
  }

  static create(path: string, backupKey: Buffer): EncryptedFile {
    const handle = openSync(path, 'wx+', 0o640);
    const salt = randomBytes(SALT_SIZE);
    writeFully(handle, Buffer.concat([MAGIC, salt]), 0);
    return new EncryptedFile(handle, path, salt, backupKey);
  }

  /** Undefined if a crash left no whole header. @throws CommandError for a file of another kind */
  static open(path: string, backupKey: Buffer, flags: 'r' | 'r+'): EncryptedFile | undefined {
    const handle = openSync(path, flags);
    try {
      const header = bytesAt(handle, 0, START);
      if (header === undefined) {
        closeSync(handle);
        return undefined;
      }
      if (!header.subarray(0, MAGIC.length).equals(MAGIC)) {
        throw runFault(`${path}: is not encrypted, but its backup is\nRemove it`);
      }
      const file = new EncryptedFile(handle, path, header.subarray(MAGIC.length), backupKey);
      file.findChunks();
      return file;
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }

  get size(): number {
    const last = this.chunks.at(-1);
    return (last === undefined ? 0 : last.offset + last.length) + this.pendingSize;
  }

  /** @throws DamagedBytes */
  read(buffer: Buffer, offset: number, length: number, position: number): number {
    const at = this.indexAt(position);
    const chunk = this.chunks[at];
    if (chunk === undefined) return 0;
    if (this.decrypted?.chunk !== chunk) {
      this.decrypted = { chunk, bytes: this.decrypt(chunk, at) };
    }
    const from = position - chunk.offset;
    return this.decrypted.bytes.copy(buffer, offset, from, from + length);
  }

  write(bytes: Buffer): void {
    this.pending.push(Buffer.from(bytes));
    this.pendingSize += bytes.length;
    if (this.pendingSize >= MAX_CHUNK) this.seal();
  }

  sync(): void {
    this.seal();
    fsyncSync(this.handle);
  }

  truncate(size: number): void {
    this.seal();
    const at = this.indexAt(size);
    const chunk = this.chunks[at];
    if (chunk !== undefined) {
      const kept = this.decrypt(chunk, at).subarray(0, size - chunk.offset);
      this.chunks.length = at;
      this.end = chunk.at;
      this.decrypted = undefined;
      ftruncateSync(this.handle, this.end);
      // With a new nonce: one nonce must never encrypt two texts.
      if (kept.length > 0) this.append(Buffer.from(kept));
    } else ftruncateSync(this.handle, this.end);
    fsyncSync(this.handle);
  }

  close(): void {
    this.seal();
    closeSync(this.handle);
  }

  private seal(): void {
    if (this.pendingSize === 0) return;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    this.pendingSize = 0;
    for (let at = 0; at < bytes.length; at += MAX_CHUNK) {
      this.append(bytes.subarray(at, at + MAX_CHUNK));
    }
  }

  private append(bytes: Buffer): void {
    const nonce = randomBytes(NONCE_SIZE);
    const cipher = createCipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_SIZE });
    cipher.setAAD(this.place(this.chunks.length));
    const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
    const head = Buffer.alloc(HEAD_SIZE);
    head.writeUInt32BE(bytes.length, 0);
    nonce.copy(head, 4);
    head.writeUInt32BE(sumOf(head), HEAD_SIZE - 4);
    writeFully(this.handle, Buffer.concat([head, text, cipher.getAuthTag()]), this.end);
    this.chunks.push({ offset: this.size, length: bytes.length, at: this.end });
    this.end += HEAD_SIZE + bytes.length + TAG_SIZE;
  }

  private decrypt({ offset, length, at }: Chunk, index: number): Buffer {
    const bytes = bytesAt(this.handle, at, HEAD_SIZE + length + TAG_SIZE);
    try {
      if (bytes === undefined) throw new RangeError('it is shorter now');
      const nonce = bytes.subarray(4, 4 + NONCE_SIZE);
      const cipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_SIZE });
      cipher.setAAD(this.place(index));
      cipher.setAuthTag(bytes.subarray(HEAD_SIZE + length));
      const text = cipher.update(bytes.subarray(HEAD_SIZE, HEAD_SIZE + length));
      return Buffer.concat([text, cipher.final()]);
    } catch {
      throw new DamagedBytes(offset);
    }
  }

  private place(index: number): Buffer {
    return Buffer.from(`${this.name}\0${index}`);
  }

  /** The index of the chunk with the byte; the number of chunks if none has it. */
  private indexAt(position: number): number {
    let [from, to] = [0, this.chunks.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const { offset = 0, length = 0 } = this.chunks[middle] ?? {};
      if (position < offset + length) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** A head that is not whole ends the file, unless more than zeros follow. */
  private findChunks(): void {
    const { size } = fstatSync(this.handle);
    for (let offset = 0; this.end < size; ) {
      const head = bytesAt(this.handle, this.end, HEAD_SIZE);
      if (head === undefined) return;
      const length = head.readUInt32BE(0);
      const isHead = head.readUInt32BE(HEAD_SIZE - 4) === sumOf(head);
      if (!isHead && head.every((byte) => byte === 0)) return;
      const next = this.end + HEAD_SIZE + length + TAG_SIZE;
      if (isHead && next > size) return;
      this.chunks.push({ offset, length: isHead ? length : 1, at: this.end });
      // Its decryption fails, and no later chunk can be found.
      if (!isHead) return;
      offset += length;
      this.end = next;
    }
  }
}

function sumOf(head: Buffer): number {
  return adler32(head, 0, HEAD_SIZE - 4);
}

function bytesAt(handle: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(handle, bytes, 0, length, position) === length ? bytes : undefined;
}

export function openEncrypted(backupKey: Buffer): OpenFile {
  return async (path) => {
    const file = EncryptedFile.open(path, backupKey, 'r');
    return {
      read: async (buffer, offset, length, position) => ({
        bytesRead: file?.read(buffer, offset, length, position) ?? 0,
      }),
      close: async () => file?.close(),
    };
  };
}

/** Copies between a plain and an encrypted file. The target is durable. */
export async function copyAs(
  source: string,
  openSource: OpenFile,
  target: string,
  targetKey: Buffer | undefined,
): Promise<void> {
  const from = await openSource(source);
  try {
    const to =
      targetKey === undefined ? PlainFile.create(target) : EncryptedFile.create(target, targetKey);
    try {
      const buffer = Buffer.alloc(MAX_CHUNK);
      for (let position = 0; ; ) {
        const { bytesRead } = await from.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) break;
        to.write(buffer.subarray(0, bytesRead));
        position += bytesRead;
      }
      to.sync();
    } finally {
      to.close();
    }
  } finally {
    await from.close();
  }
}
