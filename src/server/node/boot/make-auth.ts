import { createHash } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import { Auth, type HashBase64 } from '../../session/auth.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { readSasl } from './sasl-file.js';

/** @throws ServerError ECONFIG for a hash that the platform lacks, or an unreadable JAAS file */
export function makeAuth(config: Config): Auth {
  return new Auth({
    hash: hashOf(config),
    superDigest: config.superDigest ?? undefined,
    x509SuperUser: config.x509SuperUser ?? undefined,
    isAclSkipped: config.skipACL,
    schemes: config.auth.schemes,
    enforced: config.auth.enforced,
    startSasl: readSasl(config),
    saslSuperUsers: saslSuperUsersOf(config),
    letAnySaslUserDoX: config.letAnySaslUserDoX,
    ensembleNames: ensembleNamesOf(config),
    allowsSaslFailure: config.allowSaslFailedClients,
  });
}

function saslSuperUsersOf({ superUser, properties }: Config): string[] {
  const more = [...properties].filter(([name]) => name.startsWith('zookeeper.superUser.'));
  return [superUser, ...more.map(([, user]) => user)].filter((user) => user !== null);
}

function ensembleNamesOf({ ensembleAuthName: names }: Config): ReadonlySet<string> | null {
  return names === null ? null : new Set(names.split(',').map((name) => name.trim()));
}

function hashOf({ digestAlg }: Config): HashBase64 {
  const hash: HashBase64 = (text) => createHash(digestAlg).update(text, 'utf8').digest('base64');
  try {
    hash('');
  } catch (cause) {
    const { key } = OPTIONS.digestAlg;
    const message = `${key}: unknown hash: "${digestAlg}" (expected one that this platform has)`;
    throw new ServerError('ECONFIG', ExitCode.USAGE, message, cause);
  }
  return hash;
}
