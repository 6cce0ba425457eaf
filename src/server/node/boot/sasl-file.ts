import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import type { SaslOptions } from '../../session/sasl-digest.js';
import { parseSaslUsers } from '../../session/sasl-users.js';
import { ExitCode, ServerError } from '../storage/errors.js';

/** The SASL options from the JAAS file of `java.security.auth.login.config`; null without one. */
export function readSaslOptions(config: Config): SaslOptions | null {
  const { saslLoginConfig: file, saslServerConfig: section } = config;
  if (file === null) return null;
  const refuse = (what: string, cause?: unknown): never => {
    throw new ServerError('ECONFIG', ExitCode.USAGE, `${file}: ${what}`, cause);
  };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    refuse(`java.security.auth.login.config: cannot read: ${(cause as Error).message}`, cause);
  }
  const users = parseSaslUsers(text, section);
  // The file may contain only client sections; Apache's server then runs without SASL.
  if (users === undefined) return null;
  return {
    users,
    md5: (bytes) => createHash('md5').update(bytes).digest(),
    nonce: () => randomBytes(24).toString('hex'),
  };
}
