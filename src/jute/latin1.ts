/**
 * Bytes as a string of one character each, and back. Buffer's `toString` and `write` first look for
 * the encoding, which takes a third of their time for 100 bytes. Their inner methods, which
 * Node.js does not document, are used if they are there.
 */

interface InnerMethods {
  readonly latin1Slice?: (this: Buffer, start: number, end: number) => string;
  readonly latin1Write?: (this: Buffer, text: string, at: number, length: number) => number;
}

/** @param methods of Buffer */
export function latin1Of(methods: InnerMethods) {
  const slice =
    methods.latin1Slice ??
    function (this: Buffer, start: number, end: number) {
      return this.toString('latin1', start, end);
    };
  const write =
    methods.latin1Write ??
    function (this: Buffer, text: string, at: number, length: number) {
      return this.write(text, at, length, 'latin1');
    };
  return { slice, write };
}

const { slice, write } = latin1Of(Buffer.prototype as Buffer & InnerMethods);

export function readLatin1(bytes: Buffer, start: number, end: number): string {
  return slice.call(bytes, start, end);
}

/** Returns the count of bytes, which is the length of `text`. The bytes must have room for it. */
export function writeLatin1(bytes: Buffer, text: string, at: number): number {
  return write.call(bytes, text, at, text.length);
}

/** Writes a short text with one byte for each character. False if it is not in ASCII. */
export function writeAscii(bytes: Uint8Array, text: string, at: number): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return false;
    bytes[at + i] = unit;
  }
  return true;
}
