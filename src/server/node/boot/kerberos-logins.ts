/** Kerberos for clients: the keytab of the server, and the ids of its clients. */
import { readFileSync } from 'node:fs';
import { Acceptor } from '../../../kerberos/acceptor.js';
import { isSupported } from '../../../kerberos/encryption.js';
import { GssapiServer } from '../../../kerberos/gssapi-server.js';
import { KerberosError } from '../../../kerberos/kerberos-error.js';
import { type KeytabEntry, parseKeytab } from '../../../kerberos/keytab.js';
import { nameMapper } from '../../../kerberos/short-name.js';
import type { SaslServerLogin } from '../../../protocol/jaas.js';
import type { SaslExchange } from '../../../protocol/sasl-step.js';
import type { Config } from '../../config/config.js';

type Refuse = (what: string, cause?: unknown) => never;

/** @param refuse reports settings with which no client could log in */
export function acceptKerberos(
  config: Config,
  { principal: name, keyTab }: Extract<SaslServerLogin, { kind: 'kerberos' }>,
  refuse: Refuse,
): () => SaslExchange {
  const defaultRealm = config.krb5Realm ?? realmIn(config.krb5Conf) ?? '';
  if (defaultRealm === '' && (config.requireKerberosConfig || !name.includes('@'))) {
    refuse(`no default realm: set default_realm in ${config.krb5Conf}`);
  }
  const principal = name.includes('@') ? name : `${name}@${defaultRealm}`;
  // Read at each login, so that a new key needs no restart.
  const keys = (): KeytabEntry[] => readKeytab(keyTab);
  try {
    const isUsable = keys().some(
      (entry) => entry.principal === principal && isSupported(entry.key.enctype),
    );
    if (!isUsable) refuse(`${keyTab}: no key of ${principal} for AES`);
    const userOf = nameMapper({
      rules: config.authToLocal,
      defaultRealm,
      isHostRemoved: config.kerberosRemoveHost,
      isRealmRemoved: config.kerberosRemoveRealm,
    });
    const acceptor = new Acceptor({ principal, keys, now: Date.now });
    return () => new GssapiServer(acceptor, userOf);
  } catch (cause) {
    if (!(cause instanceof KerberosError)) throw cause;
    return refuse(cause.message, cause);
  }
}

function readKeytab(file: string): KeytabEntry[] {
  try {
    return parseKeytab(readFileSync(file));
  } catch (cause) {
    throw new KerberosError(`${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Undefined without such a file, as for Apache's server. */
function realmIn(krb5Conf: string): string | undefined {
  try {
    return /^\s*default_realm\s*=\s*(\S+)/m.exec(readFileSync(krb5Conf, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
