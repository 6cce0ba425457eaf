import { usageError } from '../../program/command-error.js';
import type { TaskCall } from '../calls/task.js';

/** Hex with 0x, or decimal. @throws CommandError */
export function idOption(call: TaskCall, option: string): bigint | undefined {
  const text = call.text(option);
  if (text === undefined) return undefined;
  if (!/^(0x[0-9a-fA-F]{1,16}|\d{1,19})$/.test(text)) {
    throw usageError(
      `--${option}: invalid id: "${text}" (expected a zxid or a session id, such as 0x100000008)`,
    );
  }
  return BigInt.asIntN(64, BigInt(text));
}
