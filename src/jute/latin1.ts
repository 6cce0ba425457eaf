/** Bytes as a string of one character each, and back. */
export function readLatin1(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

/** Returns the count of bytes, which is the length of `text`. The bytes must have room for it. */
export function writeLatin1(bytes: Buffer, text: string, at: number): number {
  return bytes.write(text, at, text.length, 'latin1');
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
