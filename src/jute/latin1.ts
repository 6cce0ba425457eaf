/**
 * Bytes as a string of one character each, and back. Buffer's `toString` and `write` first look for
 * the encoding, which takes a third of their time for 100 bytes. Their inner methods, which
 * Node.js does not document, are used if they are there.
 */
interface Latin1Methods {
  readonly latin1Slice?: (this: Buffer, start: number, end: number) => string;
  readonly latin1Write?: (this: Buffer, text: string, at: number, length: number) => number;
}

const methods: Latin1Methods = Buffer.prototype as Buffer & Latin1Methods;

function slowSlice(this: Buffer, start: number, end: number): string {
  return this.toString('latin1', start, end);
}

function slowWrite(this: Buffer, text: string, at: number, length: number): number {
  return this.write(text, at, length, 'latin1');
}

const slice = methods.latin1Slice ?? slowSlice;
const write = methods.latin1Write ?? slowWrite;

export function readLatin1(bytes: Buffer, start: number, end: number): string {
  return slice.call(bytes, start, end);
}

/** Returns the count of bytes, which is the length of `text`. The bytes must have room for it. */
export function writeLatin1(bytes: Buffer, text: string, at: number): number {
  return write.call(bytes, text, at, text.length);
}
