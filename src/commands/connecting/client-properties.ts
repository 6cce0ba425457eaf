import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { getCiphers } from 'node:tls';
import { opensslName } from '../../certificates/cipher-names.js';
import {
  readKeyStore,
  readPasswordFile,
  readTrustStore,
  type StoreFile,
} from '../../certificates/key-store.js';
import type { ClientOptions } from '../../client/base/client-options.js';
import { type ClientSasl, saslOf } from '../../client/base/kerberos.js';
import type { TlsOptions } from '../../client/base/tls.js';
import { JaasError, parseSaslLogin } from '../../protocol/jaas.js';
import { isKerberos, type KerberosLogin, type SaslLogin } from '../../protocol/sasl-login.js';
import { decodeProperties, parseProperties } from '../../server/config/java-properties.js';

type Properties = ReadonlyMap<string, string>;

/**
 * Reads a client configuration of Apache's shell (`-client-configuration`): TLS, SASL by a JAAS
 * file, jute.maxbuffer, and the timeout of requests.
 * @throws Error that names the unusable property, and any property for security that zksh does not
 * support
 */
export async function readClientProperties(file: string): Promise<Partial<ClientOptions>> {
  const properties = await readProperties(file);
  const maxBuffer = numberOf(properties, 'jute.maxbuffer', 'bytes');
  const timeoutMs = numberOf(properties, 'zookeeper.request.timeout', 'ms');
  const isSecure = isTrue(properties, 'zookeeper.client.secure');
  const tls = isSecure ? await tlsOf(properties, dirname(file)) : undefined;
  const sasl = await loginOf(properties, dirname(file));
  return {
    ...(maxBuffer === undefined ? {} : { maxFrameLength: maxBuffer }),
    ...(timeoutMs === undefined ? {} : { requestTimeoutMs: timeoutMs }),
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(isTrue(properties, 'zookeeper.disableAutoWatchReset') ? { shouldResetWatches: false } : {}),
  };
}

function numberOf(properties: Properties, name: string, unit: string): number | undefined {
  const text = properties.get(name);
  if (text !== undefined && !/^(0x[0-9a-fA-F]+|\d+)$/.test(text)) {
    throw new Error(`${name}: not a number of ${unit}: "${text}"`);
  }
  return text === undefined ? undefined : Number(text);
}

function isTrue(properties: Properties, name: string): boolean {
  return properties.get(name)?.toLowerCase() === 'true';
}

/** Apache's client uses the section "Client". */
async function loginOf(properties: Properties, folder: string): Promise<ClientSasl | undefined> {
  const location = properties.get('java.security.auth.login.config');
  if (location === undefined || properties.get('zookeeper.sasl.client') === 'false')
    return undefined;
  const section = properties.get('zookeeper.sasl.clientconfig') ?? 'Client';
  const text = await readText(inFolder(folder, location));
  let login: SaslLogin | undefined;
  try {
    login = parseSaslLogin(text, section);
  } catch (cause) {
    if (!(cause instanceof JaasError)) throw cause;
    throw new Error(`${location}: ${cause.message}`, { cause });
  }
  if (login === undefined) {
    throw new Error(
      `${location}: section ${section}: expected a DigestLoginModule with username and password, or a Krb5LoginModule`,
    );
  }
  return saslOf(isKerberos(login) ? { ...login, ...kerberosOf(properties, folder) } : login);
}

/** Java takes these two together, instead of krb5.conf. */
const OF_REALM: readonly string[] = ['java.security.krb5.realm', 'java.security.krb5.kdc'];

function kerberosOf(properties: Properties, folder: string): Partial<KerberosLogin> {
  const refused = OF_REALM.find((name) => properties.has(name));
  if (refused !== undefined) {
    throw new Error(`${refused}: not supported: use java.security.krb5.conf=FILE instead`);
  }
  const conf = properties.get('java.security.krb5.conf');
  const servicePrincipal = properties.get('zookeeper.server.principal');
  const serviceName = properties.get('zookeeper.sasl.client.username');
  const serviceRealm = properties.get('zookeeper.server.realm');
  const isHostCanonicalized = properties.get('zookeeper.sasl.client.canonicalize.hostname');
  return {
    ...(conf === undefined ? {} : { krb5Conf: inFolder(folder, conf) }),
    ...(servicePrincipal === undefined ? {} : { servicePrincipal }),
    ...(serviceName === undefined ? {} : { serviceName }),
    ...(serviceRealm === undefined ? {} : { serviceRealm }),
    ...(isHostCanonicalized === undefined
      ? {}
      : { isHostCanonicalized: isHostCanonicalized.toLowerCase() === 'true' }),
  };
}

/** These restrict which servers the client trusts, or how it encrypts. */
const UNSUPPORTED: readonly string[] = ['zookeeper.ssl.context.supplier.class'];

async function tlsOf(properties: Properties, folder: string): Promise<TlsOptions> {
  for (const name of UNSUPPORTED) {
    const value = properties.get(name);
    if (value !== undefined && value.toLowerCase() !== 'false') {
      throw new Error(`${name}=${value}: not supported: the connection would lack its protection`);
    }
  }
  const [trust, own] = ['trustStore', 'keyStore'].map((name) =>
    storeOf(properties, `zookeeper.ssl.${name}`, folder),
  );
  const keyStore = own === undefined ? undefined : readKeyStore(own);
  const isOcspChecked = isTrue(properties, 'zookeeper.ssl.ocsp');
  const isCrlChecked = isTrue(properties, 'zookeeper.ssl.crl');
  if ((isOcspChecked || isCrlChecked) && trust === undefined) {
    throw new Error(
      `zookeeper.ssl.${isCrlChecked ? 'crl' : 'ocsp'}=true: needs zookeeper.ssl.trustStore.location, which is not set`,
    );
  }
  return {
    ...(trust === undefined ? {} : { ca: readTrustStore(trust).certificates.join('') }),
    ...(keyStore === undefined ? {} : { cert: keyStore.chain, key: keyStore.key }),
    ...(isOcspChecked ? { isOcspChecked } : {}),
    ...(isCrlChecked ? { isCrlChecked } : {}),
    ...versionsOf(properties),
    ...ciphersOf(properties),
    ...(properties.get('zookeeper.ssl.hostnameVerification')?.toLowerCase() === 'false'
      ? { isNameVerified: false }
      : {}),
  };
}

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

/** As in ClientX509Util: enabledProtocols decides, or else the one version of protocol. */
function versionsOf(properties: Properties): Pick<TlsOptions, 'minVersion' | 'maxVersion'> {
  const [list, one] = ['zookeeper.ssl.enabledProtocols', 'zookeeper.ssl.protocol'] as const;
  const key = properties.has(list) ? list : one;
  const text = properties.get(key) ?? '';
  if (text === '' || (key === one && text.toUpperCase() === 'TLS')) return {};
  const named = text.split(',').map((part) => {
    const version = VERSIONS.find((known) => known.toLowerCase() === part.trim().toLowerCase());
    if (version !== undefined) return version;
    throw new Error(`${key}: unknown version: "${part}" (expected ${VERSIONS.join(' or ')})`);
  });
  const taken = VERSIONS.filter((version) => named.includes(version));
  const [minVersion = 'TLSv1.2', maxVersion = minVersion] = taken;
  return { minVersion, maxVersion };
}

/** By their Java or OpenSSL names. */
function ciphersOf(properties: Properties): Pick<TlsOptions, 'ciphers'> {
  const text = properties.get('zookeeper.ssl.ciphersuites') ?? '';
  if (text === '') return {};
  const known = new Set(getCiphers().map((name) => name.toUpperCase()));
  const names = text.split(',').map((part) => {
    const name = opensslName(part.trim());
    if (known.has(name)) return name;
    throw new Error(`zookeeper.ssl.ciphersuites: unknown cipher suite: "${part.trim()}"`);
  });
  return { ciphers: names.join(':') };
}

const STORE_TYPES = ['', 'PEM', 'PKCS12', 'JKS', 'BCFKS'] as const;

function storeOf(properties: Properties, name: string, folder: string): StoreFile | undefined {
  const location = properties.get(`${name}.location`) ?? '';
  if (location === '') return undefined;
  const given = properties.get(`${name}.type`)?.toUpperCase() ?? '';
  const type = STORE_TYPES.find((known) => known === given);
  if (type === undefined) {
    throw new Error(`${name}.type: unknown: "${given}" (expected PEM, PKCS12, or JKS)`);
  }
  const path = properties.get(`${name}.passwordPath`) ?? '';
  const password =
    path === ''
      ? (properties.get(`${name}.password`) ?? '')
      : readPasswordFile(inFolder(folder, path));
  return { location: inFolder(folder, location), type, password };
}

function inFolder(folder: string, file: string): string {
  return isAbsolute(file) ? file : join(folder, file);
}

async function readText(file: string): Promise<string> {
  try {
    return decodeProperties(await readFile(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file}: cannot read: ${why}`, { cause });
  }
}

/** @throws Error that names the invalid line; Java refuses it, too */
async function readProperties(file: string): Promise<Properties> {
  const { properties, problems } = parseProperties(await readText(file));
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${file}:${problem.line}: ${problem.message}`);
  return new Map(properties.map(({ key, value }) => [key, value]));
}
