import type { InputArchive } from '../jute/input-archive.js';
import { readLatin1 } from '../jute/latin1.js';

/** The bytes of a znode, one per character (latin1). Null and "" differ. */
export type ZnodeData = string | null;

/**
 * The data of a txn as bytes. That of a request are first in its frame, which is valid only while
 * the request is read, then in its log record, which does not change.
 */
export class RequestData {
  /** The frame of the request, then the memory of the log record. */
  memory: Buffer;
  /** The offset of the bytes in `memory`. */
  start: number;
  readonly length: number;

  constructor(memory: Buffer, start: number, length: number) {
    this.memory = memory;
    this.start = start;
    this.length = length;
  }

  /** Null for null data. */
  static read(input: InputArchive): RequestData | null {
    const length = input.readLength();
    return length < 0 ? null : new RequestData(input.bytes, input.at - length, length);
  }

  moveTo(memory: Buffer, start: number): void {
    this.memory = memory;
    this.start = start;
  }
}

/** The data of a txn: bytes from prep, a string from a log. */
export type TxnData = ZnodeData | RequestData;

export function textOf(data: TxnData): ZnodeData {
  if (data === null || typeof data === 'string') return data;
  return readLatin1(data.memory, data.start, data.start + data.length);
}

/** "" for null. Only for ASCII, such as the server's own znodes. */
export function latin1Text(data: ZnodeData): string {
  return data ?? '';
}

export function dataLength(data: TxnData): number {
  return data === null ? 0 : data.length;
}
