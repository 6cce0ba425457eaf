import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { JaasError, parseSaslUsers } from '../../../protocol/jaas.js';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import type { SaslOptions } from '../../session/sasl-digest.js';
import { ExitCode, ServerError } from '../storage/errors.js';

type Refuse = (what: string, cause?: unknown) => never;

function usersIn(text: string, section: string, refuse: Refuse): Map<string, string> | undefined {
  try {
    return parseSaslUsers(text, section);
  } catch (cause) {
    if (!(cause instanceof JaasError)) throw cause;
    return refuse(cause.message, cause);
  }
}

/** Reads the JAAS file of `java.security.auth.login.config`; null without one. */
export function readSaslOptions(config: Config): SaslOptions | null {
  const { saslLoginConfig: file, saslServerConfig: section } = config;
  if (file === null) return null;
  const refuse: Refuse = (what, cause) => {
    throw new ServerError('ECONFIG', ExitCode.USAGE, `${file}: ${what}`, cause);
  };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    refuse(`java.security.auth.login.config: cannot read: ${(cause as Error).message}`, cause);
  }
  const users = usersIn(text, section, refuse);
  if (users === undefined) {
    // The file may have only client sections; Apache's server then runs without SASL.
    if (section === OPTIONS.saslServerConfig.default) return null;
    return refuse(`section ${section}: not found (named by sasl.serverconfig)`);
  }
  const { saslSuperPassword } = config;
  if (saslSuperPassword !== null && users.has('super')) users.set('super', saslSuperPassword);
  return {
    users,
    md5: (bytes) => createHash('md5').update(bytes).digest(),
    nonce: () => randomBytes(24).toString('hex'),
  };
}
