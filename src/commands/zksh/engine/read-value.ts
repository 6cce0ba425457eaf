import { promises as files } from 'node:fs';
import type { DataValue } from '../../machine/declaration.js';
import { CommandError, usageError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Token } from '../language/parse-line.js';
import { quoteWord } from '../language/quote-word.js';
import type { CommandContext } from './command.js';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Rejects a typed value that is not base64. Files are checked when they are read. */
export function checkValue(value: DataValue | undefined, isBase64: boolean, token?: Token): void {
  if (isBase64 && value?.from === 'line') decodeBase64(value.bytes, token);
}

/** Null without a value. @throws CommandError USAGE for invalid base64, NOFILE */
export async function readValue(
  context: CommandContext,
  value: DataValue | undefined,
  isBase64: boolean,
  token?: Token,
): Promise<Buffer | null> {
  if (value === undefined) return null;
  const bytes = await readBytes(context, value, token);
  return isBase64 ? decodeBase64(bytes, token) : bytes;
}

async function readBytes(
  context: CommandContext,
  value: DataValue,
  token: Token | undefined,
): Promise<Buffer> {
  switch (value.from) {
    case 'line':
      return value.bytes;
    case 'stdin':
      return context.readInput();
    case 'file':
      try {
        return await files.readFile(value.file);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new CommandError(`${value.file}: cannot read value: ${reason}`, {
          code: 'NOFILE',
          exitCode: ExitCode.usage,
          place: token,
          hint: `quote it to store the text itself: ${quoteWord(`@${value.file}`)}`,
          cause: error,
        });
      }
  }
}

/** Ignores whitespace, because `base64` wraps its lines. */
function decodeBase64(bytes: Buffer, token: Token | undefined): Buffer {
  const text = bytes.toString('latin1').replace(/[\s]+/g, '');
  if (!BASE64.test(text)) {
    throw usageError('value is not base64', token, {
      hint: 'expected groups of four of A-Z a-z 0-9 + / with = at the end',
    });
  }
  return Buffer.from(text, 'base64');
}
