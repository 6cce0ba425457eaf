/**
 * The passwords of sessions. By default they follow from the id, as in Apache's server, so that any
 * client which sees the owner of an ephemeral can compute one, and end the session.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { messageOf } from '../../../protocol/message-of.js';
import { sessionPassword } from '../../../protocol/session-id.js';
import type { Config } from '../../config/config.js';
import { ExitCode, ServerError } from '../storage/errors.js';

const PASSWORD_LENGTH = 16;
/** In bytes: fewer could be guessed. */
const LEAST_SECRET = 16;

/** @throws ServerError ECONFIG */
export function makeSessionPasswords({
  sessionSecretFile,
}: Pick<Config, 'sessionSecretFile'>): (sessionId: bigint) => Buffer {
  if (sessionSecretFile === null) return sessionPassword;
  const secret = readSecret(sessionSecretFile);
  return (sessionId) => {
    const id = Buffer.alloc(8);
    id.writeBigInt64BE(BigInt.asIntN(64, sessionId));
    return createHmac('sha256', secret).update(id).digest().subarray(0, PASSWORD_LENGTH);
  };
}

function readSecret(path: string): string {
  const refuse = (problem: string): never => {
    throw new ServerError('ECONFIG', ExitCode.USAGE, `session.secretFile: ${path}: ${problem}`);
  };
  try {
    const secret = readFileSync(path, 'latin1').trim();
    if (secret.length >= LEAST_SECRET) return secret;
  } catch (error) {
    return refuse(messageOf(error));
  }
  return refuse(`too short (expected ${LEAST_SECRET} characters or more)`);
}
