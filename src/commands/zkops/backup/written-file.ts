import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** A file that grows at its end. Sizes count the bytes that were written, as a reader gets them. */
export interface WrittenFile {
  readonly size: number;
  write(bytes: Buffer): void;
  /** Makes all written bytes durable. */
  sync(): void;
  truncate(size: number): void;
  close(): void;
}

export function writeFully(handle: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(handle, bytes, at, bytes.length - at, position + at);
  }
}

export class PlainFile implements WrittenFile {
  size: number;
  private readonly handle: number;

  private constructor(handle: number) {
    this.handle = handle;
    this.size = fstatSync(handle).size;
  }

  static create(path: string): PlainFile {
    return new PlainFile(openSync(path, 'wx', 0o640));
  }

  static open(path: string): PlainFile {
    return new PlainFile(openSync(path, 'r+'));
  }

  write(bytes: Buffer): void {
    writeFully(this.handle, bytes, this.size);
    this.size += bytes.length;
  }

  sync(): void {
    fsyncSync(this.handle);
  }

  truncate(size: number): void {
    ftruncateSync(this.handle, size);
    this.size = size;
    this.sync();
  }

  close(): void {
    closeSync(this.handle);
  }
}
