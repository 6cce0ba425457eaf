import type { DumpLine, LineFields } from './znode-record.js';

/** What stands for the parts of a dump; a line end follows each. */
export interface DumpText {
  head(fields: LineFields): string;
  record(fields: LineFields, isFirst: boolean): string;
  end(fields: LineFields): string;
}

/** A part of a dump as it was written. */
export interface DumpPiece {
  readonly text: string;
  /** The line it begins in, from 1. */
  readonly number: number;
  /** Bytes of the dump up to where it ends. */
  readonly end: number;
  /** False when the dump ends within it. */
  readonly isWhole: boolean;
}

export interface DumpSyntax {
  /** @throws RangeError for what cannot be taken apart */
  split(chunks: AsyncIterable<Buffer>): AsyncGenerator<DumpPiece>;
  /** @throws RangeError that says what of the piece is wrong */
  parse(text: string): DumpLine;
  /** From the last bytes of a dump what its end says; undefined when it was interrupted. */
  parseEnd(tail: string): DumpLine | undefined;
}

/** Longer than any znode of a server with its defaults, as base64. */
export const MAX_PIECE_LENGTH = 256 * 1024 * 1024;
