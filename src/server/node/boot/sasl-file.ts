import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { JaasError, parseSaslServer } from '../../../protocol/jaas.js';
import type { SaslExchange } from '../../../protocol/sasl-step.js';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import { SaslDigest, type SaslOptions } from '../../session/sasl-digest.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { acceptKerberos } from './kerberos-logins.js';

type Refuse = (what: string, cause?: unknown) => never;

/** The JAAS file of `java.security.auth.login.config`. */
export class JaasFile {
  readonly refuse: Refuse;
  private readonly text: string;

  /** @throws ServerError ECONFIG for an unreadable file */
  constructor(file: string) {
    this.refuse = (what, cause) => {
      throw new ServerError('ECONFIG', ExitCode.USAGE, `${file}: ${what}`, cause);
    };
    this.text = this.read(file);
  }

  /** @throws ServerError ECONFIG */
  section<T>(parse: (text: string, section: string) => T, section: string): T {
    try {
      return parse(this.text, section);
    } catch (cause) {
      if (!(cause instanceof JaasError)) throw cause;
      return this.refuse(cause.message, cause);
    }
  }

  private read(file: string): string {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      const why = (cause as Error).message;
      return this.refuse(`java.security.auth.login.config: cannot read: ${why}`, cause);
    }
  }
}

export function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest();
}

export function nonce(): string {
  return randomBytes(24).toString('hex');
}

/**
 * The mechanism of the JAAS file of `java.security.auth.login.config`: each call begins an
 * exchange. Null without such a file.
 */
export function readSasl(config: Config): (() => SaslExchange) | null {
  const { saslLoginConfig: file, saslServerConfig: section } = config;
  if (file === null) return null;
  const jaas = new JaasFile(file);
  const { refuse } = jaas;
  const logins = jaas.section(parseSaslServer, section);
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
    md5,
    nonce,
  };
  return () => new SaslDigest(options);
}
