/** Kerberos for those who log in here: the keytab of the server, and the ids of its clients. */
import { readFileSync } from 'node:fs';
import { Acceptor } from '../../../kerberos/acceptor.js';
import { isSupported } from '../../../kerberos/encryption.js';
import { GssapiServer } from '../../../kerberos/gssapi-server.js';
import { KerberosError } from '../../../kerberos/kerberos-error.js';
import { readKeytab } from '../../../kerberos/node/kerberos-files.js';
import { nameMapper } from '../../../kerberos/short-name.js';
import type { SaslServerLogin } from '../../../protocol/jaas.js';
import type { SaslExchange } from '../../../protocol/sasl-step.js';
import type { Config } from '../../config/config.js';

type Refuse = (what: string, cause?: unknown) => never;

export type KerberosKeys = Extract<SaslServerLogin, { kind: 'kerberos' }>;

/** @param refuse reports settings with which no client could log in */
export function acceptKerberos(
  config: Config,
  keys: KerberosKeys,
  refuse: Refuse,
): () => SaslExchange {
  try {
    const userOf = nameMapper({
      rules: config.authToLocal,
      defaultRealm: defaultRealmOf(config),
      isHostRemoved: config.kerberosRemoveHost,
      isRealmRemoved: config.kerberosRemoveRealm,
    });
    const acceptor = makeAcceptor(config, keys, refuse);
    return () => new GssapiServer(acceptor, userOf);
  } catch (cause) {
    if (!(cause instanceof KerberosError)) throw cause;
    return refuse(cause.message, cause);
  }
}

/** The realm of principals without one; empty if unknown. */
export function defaultRealmOf({ krb5Realm, krb5Conf }: Config): string {
  return krb5Realm ?? realmIn(krb5Conf) ?? '';
}

/** @throws KerberosError for an unusable keytab */
export function makeAcceptor(
  config: Config,
  { principal: name, keyTab }: KerberosKeys,
  refuse: Refuse,
): Acceptor {
  const defaultRealm = defaultRealmOf(config);
  if (defaultRealm === '' && (config.requireKerberosConfig || !name.includes('@'))) {
    refuse(`no default realm: set default_realm in ${config.krb5Conf}`);
  }
  const principal = name.includes('@') ? name : `${name}@${defaultRealm}`;
  // Read at each login, so that a new key needs no restart.
  const keys = () => readKeytab(keyTab);
  const isUsable = keys().some(
    (entry) => entry.principal === principal && isSupported(entry.key.enctype),
  );
  if (!isUsable) refuse(`${keyTab}: no key of ${principal} for AES`);
  return new Acceptor({ principal, keys, now: Date.now });
}

/** Undefined without such a file, as for Apache's server. */
function realmIn(krb5Conf: string): string | undefined {
  try {
    return /^[ \t]*default_realm[ \t]*=[ \t]*(\S+)/m.exec(readFileSync(krb5Conf, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
