import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { JaasError, parseSaslServer, type SaslServerLogin } from '../../../protocol/jaas.js';
import type { SaslExchange } from '../../../protocol/sasl-step.js';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import { SaslDigest, type SaslOptions } from '../../session/sasl-digest.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { acceptKerberos } from './kerberos-logins.js';

type Refuse = (what: string, cause?: unknown) => never;

function loginsIn(text: string, section: string, refuse: Refuse): SaslServerLogin | undefined {
  try {
    return parseSaslServer(text, section);
  } catch (cause) {
    if (!(cause instanceof JaasError)) throw cause;
    return refuse(cause.message, cause);
  }
}

/**
 * The mechanism of the JAAS file of `java.security.auth.login.config`: each call begins an
 * exchange. Null without such a file.
 */
export function readSasl(config: Config): (() => SaslExchange) | null {
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
  const logins = loginsIn(text, section, refuse);
  if (logins === undefined) {
    // The file may have only client sections; Apache's server then runs without SASL.
    if (section === OPTIONS.saslServerConfig.default) return null;
    return refuse(`section ${section}: not found (named by sasl.serverconfig)`);
  }
  if (logins.kind === 'kerberos') {
    return acceptKerberos(config, logins, (what, cause) =>
      refuse(`section ${section}: ${what}`, cause),
    );
  }
  const { users } = logins;
  const { saslSuperPassword } = config;
  if (saslSuperPassword !== null && users.has('super')) users.set('super', saslSuperPassword);
  const options: SaslOptions = {
    users,
    md5: (bytes) => createHash('md5').update(bytes).digest(),
    nonce: () => randomBytes(24).toString('hex'),
  };
  return () => new SaslDigest(options);
}
