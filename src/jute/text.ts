/**
 * Text in buffers without the checks of `toString` and `write`, which cost a third of the time of a
 * short text. Node.js does not document the methods that they call, so each has a substitute.
 */
interface TextMethods {
  latin1Slice?(start: number, end: number): string;
  utf8Slice?(start: number, end: number): string;
  latin1Write?(text: string, start: number, length: number): number;
}

const { latin1Slice, utf8Slice, latin1Write } = Buffer.prototype as TextMethods;

/** One character per byte. The range must be inside the buffer. */
export const readLatin1: (bytes: Buffer, start: number, end: number) => string =
  latin1Slice === undefined
    ? (bytes, start, end) => bytes.toString('latin1', start, end)
    : (bytes, start, end) => latin1Slice.call(bytes, start, end);

/** The range must be inside the buffer. */
export const readUtf8: (bytes: Buffer, start: number, end: number) => string =
  utf8Slice === undefined
    ? (bytes, start, end) => bytes.toString('utf8', start, end)
    : (bytes, start, end) => utf8Slice.call(bytes, start, end);

/** Returns the number of bytes. The text must fit. */
export const writeLatin1: (bytes: Buffer, text: string, start: number) => number =
  latin1Write === undefined
    ? (bytes, text, start) => bytes.write(text, start, 'latin1')
    : (bytes, text, start) => latin1Write.call(bytes, text, start, text.length);
