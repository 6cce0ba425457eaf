import { open } from 'node:fs/promises';

/** The part of a FileHandle that the readers of this folder use. */
export interface ReadHandle {
  /** May read fewer bytes than asked for; 0 only at the end. */
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

export type OpenFile = (path: string) => Promise<ReadHandle>;

export const openPlain: OpenFile = (path) => open(path, 'r');

/** Bytes of an encrypted file that are not those that were written. */
export class DamagedBytes extends Error {
  override readonly name = 'DamagedBytes';
  /** The place of the first one in the decrypted file. */
  readonly offset: number;

  constructor(offset: number) {
    super('the bytes were changed, or belong elsewhere');
    this.offset = offset;
  }
}
