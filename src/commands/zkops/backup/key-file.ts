import { hkdfSync } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { fileOption, type OptionSpecs } from '../../machine/declaration.js';
import { CommandError, usageError } from '../../program/command-error.js';
import { shellWord } from '../../program/shell-word.js';
import type { TaskCall } from '../calls/task.js';

export const KEY_FILE_OPTION: OptionSpecs = {
  'key-file': fileOption('key of an encrypted backup: 32 random bytes in base64 or hexadecimal'),
};

const KEY_SIZE = 32;
const MAKE = 'openssl rand -base64 32';

/** Undefined without `--key-file`. @throws CommandError for a bad key, or one that others read */
export function readKeyFile(call: TaskCall): Buffer | undefined {
  const file = call.text('key-file');
  if (file === undefined) return undefined;
  const subject = `--key-file ${file}`;
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw usageError(
        `${subject}: users other than its owner may read it\nchmod 600 ${shellWord(file)}`,
      );
    }
    text = readFileSync(file, 'latin1').trim();
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`${subject}: cannot read: ${why}`, undefined, { cause });
  }
  const key = keyOf(text);
  if (key !== undefined) return key;
  throw usageError(
    `${subject}: invalid key (expected ${KEY_SIZE} bytes in base64 or hexadecimal)\nMake one with: ${MAKE}`,
  );
}

function keyOf(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_SIZE ? key : undefined;
}

/** Tells two keys apart, and tells nothing about a key. */
export function checkOfKey(key: Buffer): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'zkops backup key check', 16)).toString('hex');
}
