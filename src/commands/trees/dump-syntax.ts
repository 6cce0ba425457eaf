import type { DumpLine, LineFields } from './znode-record.js';

/** A newline follows each part. */
export interface DumpText {
  head(fields: LineFields): string;
  record(fields: LineFields, isFirst: boolean): string;
  end(fields: LineFields): string;
}

export interface DumpPiece {
  readonly text: string;
  /** The line of its start, from 1. */
  readonly number: number;
  /** The offset of its end in bytes. */
  readonly end: number;
  /** False if the dump is cut off within the part. */
  readonly isWhole: boolean;
}

export interface DumpSyntax {
  /** @throws RangeError if the text cannot be split, or a part is longer than `maxLength` bytes */
  split(chunks: AsyncIterable<Buffer>, maxLength: number): AsyncGenerator<DumpPiece>;
  parse(text: string): DumpLine;
  /** Parses the end from the last bytes of a dump; undefined if the dump was interrupted. */
  parseEnd(tail: string): DumpLine | undefined;
}

/** More than any znode as base64, with the default limits of a server. */
export const MAX_PIECE_LENGTH = 256 * 1024 * 1024;
