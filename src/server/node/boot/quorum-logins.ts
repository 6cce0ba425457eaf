/** SASL between the servers of an ensemble: the JAAS sections of quorum.auth.*. */
import { GssapiServer } from '../../../kerberos/gssapi-server.js';
import { KerberosError } from '../../../kerberos/kerberos-error.js';
import { canonicalName, KerberosClient } from '../../../kerberos/node/kerberos-client.js';
import { parseSaslLogin, parseSaslServer } from '../../../protocol/jaas.js';
import { SaslDigestClient } from '../../../protocol/sasl-digest-client.js';
import { type DigestLogin, isKerberos, type KerberosLogin } from '../../../protocol/sasl-login.js';
import type { Config } from '../../config/config.js';
import { QUORUM_NAMES } from '../../quorum/wire/auth-packet.js';
import { SaslDigest } from '../../session/sasl-digest.js';
import { QuorumAuth, type QuorumAuthOptions } from '../ports/quorum-auth.js';
import { ExitCode, ServerError } from '../storage/errors.js';
import { defaultRealmOf, type KerberosKeys, makeAcceptor } from './kerberos-logins.js';
import { JaasFile, md5, nonce } from './sasl-file.js';

/** Null without quorum.auth.enableSasl. @throws ServerError ECONFIG for an unusable JAAS file */
export function makeQuorumAuth(config: Config): QuorumAuth | null {
  if (!config.quorumAuthEnableSasl) return null;
  const { saslLoginConfig: file } = config;
  if (file === null) {
    const message =
      'quorum.auth.enableSasl: needs a JAAS file: -D java.security.auth.login.config=…';
    throw new ServerError('ECONFIG', ExitCode.USAGE, message);
  }
  const jaas = new JaasFile(file);
  const login = loginOf(config, jaas);
  return new QuorumAuth({
    accept: acceptorOf(config, jaas),
    login: config.quorumAuthLearnerRequireSasl ? login : null,
    isRequired: config.quorumAuthServerRequireSasl,
  });
}

function acceptorOf(config: Config, jaas: JaasFile): QuorumAuthOptions['accept'] {
  const { quorumAuthServerLoginContext: section } = config;
  const logins = jaas.section(parseSaslServer, section);
  if (logins === undefined) {
    return jaas.refuse(
      `${section}: expected a DigestLoginModule with user_NAME, or a Krb5LoginModule with a keytab`,
    );
  }
  if (logins.kind === 'kerberos') return acceptTickets(config, logins, jaas);
  return acceptPasswords(logins.users);
}

/** @param users passwords by user name */
export function acceptPasswords(users: ReadonlyMap<string, string>): QuorumAuthOptions['accept'] {
  return () => new SaslDigest({ users, names: QUORUM_NAMES, md5, nonce });
}

export function logInWithPassword(login: DigestLogin): QuorumAuthOptions['login'] {
  return () => new SaslDigestClient({ login, names: QUORUM_NAMES, md5, nonce });
}

function acceptTickets(
  config: Config,
  keys: KerberosKeys,
  jaas: JaasFile,
): QuorumAuthOptions['accept'] {
  const section = config.quorumAuthServerLoginContext;
  const refuse: JaasFile['refuse'] = (what, cause) =>
    jaas.refuse(`section ${section}: ${what}`, cause);
  const acceptor = refusing(refuse, () => makeAcceptor(config, keys, refuse));
  return async (hosts) => {
    const allowed = new Set(await Promise.all(hosts.map(nameFor(config))));
    return new GssapiServer(acceptor, (client) => checkedMember(client, allowed));
  };
}

/** As SaslQuorumServerCallbackHandler: other principals of the realm have tickets, too. */
function checkedMember(client: string, hosts: ReadonlySet<string>): string {
  const [, host, ...more] = client.split(/[/@]/);
  if (host !== undefined && more.length === 1 && hosts.has(host.toLowerCase())) return client;
  throw new KerberosError(
    `${client} is not a member (expected service/HOST@REALM with the host of a member)`,
  );
}

function nameFor({ kerberosCanonicalizeHostNames: isCanonical }: Config) {
  return async (host: string): Promise<string> =>
    (isCanonical ? await canonicalName(host) : host).toLowerCase();
}

function loginOf(config: Config, jaas: JaasFile): QuorumAuthOptions['login'] {
  const { quorumAuthLearnerLoginContext: section } = config;
  const login = jaas.section(parseSaslLogin, section);
  if (login === undefined) {
    return jaas.refuse(
      `${section}: expected a DigestLoginModule with username and password, or a Krb5LoginModule`,
    );
  }
  if (!isKerberos(login)) return logInWithPassword(login);
  const client = new KerberosClient({ login: memberLogin(config, login) });
  const name = nameFor(config);
  return async (host) => client.begin(await name(host));
}

const PATTERN = /^([^/@]+)\/_HOST(?:@(.+))?$/;

function memberLogin(config: Config, login: KerberosLogin): KerberosLogin {
  const { quorumAuthKerberosServicePrincipal: named, kerberosServerRealm, krb5Conf } = config;
  const { principal } = login;
  const [, serviceName, realm] = PATTERN.exec(named) ?? [];
  const serviceRealm = realm ?? kerberosServerRealm ?? undefined;
  const isWhole = principal === undefined || principal.includes('@');
  return {
    ...login,
    krb5Conf,
    ...(isWhole ? {} : { principal: `${principal}@${defaultRealmOf(config)}` }),
    ...(serviceName === undefined ? { servicePrincipal: named } : { serviceName }),
    ...(serviceRealm === undefined ? {} : { serviceRealm }),
    isHostCanonicalized: false,
  };
}

function refusing<T>(refuse: JaasFile['refuse'], make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof KerberosError)) throw cause;
    return refuse(cause.message, cause);
  }
}
