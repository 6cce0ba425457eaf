import { OpCode } from '../../protocol/op-code.js';
import { LIMITS } from '../limits/limits.js';

/** int type, boolean done, int err */
const MULTI_HEADER_SIZE = 9;
const SLASH = 0x2f;
const MAX_BYTES = LIMITS.shownNameLength.value;

/**
 * The path that the body of a request begins with, of a multi that of its first operation; cut,
 * since clients choose paths of up to a megabyte. Undefined for a request without one.
 */
export function pathOfRequest(
  type: number,
  bytes: Buffer,
  at: number,
  end: number,
): string | undefined {
  const isMulti = type === OpCode.multi || type === OpCode.multiRead;
  const start = at + (isMulti ? MULTI_HEADER_SIZE : 0) + 4;
  if (start >= end || bytes[start] !== SLASH) return undefined;
  const length = bytes.readInt32BE(start - 4);
  if (length < 0 || length > end - start) return undefined;
  return bytes.toString(undefined, start, start + Math.min(length, MAX_BYTES));
}
