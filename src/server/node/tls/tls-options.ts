/**
 * The ssl.* options for clients and ssl.quorum.* for servers, in Node's form. An option for an
 * unsupported protection stops the start: ignored, it would let unwanted clients in.
 */

import { constants } from 'node:crypto';
import {
  createSecureContext,
  getCiphers,
  type SecureContextOptions,
  type SecureVersion,
} from 'node:tls';
import { opensslName } from '../../../certificates/cipher-names.js';
import {
  readKeyStore,
  readPasswordFile,
  readTrustStore,
  StoreError,
  type StoreFile,
} from '../../../certificates/key-store.js';
import { messageOf } from '../../../protocol/message-of.js';
import type { Config } from '../../config/config.js';
import { ExitCode, ServerError } from '../storage/errors.js';

export interface TlsOptions {
  readonly context: SecureContextOptions;
  readonly clientAuth: 'none' | 'want' | 'need';
  /** The option and the value that require a client's certificate, for error texts. */
  readonly needOption: string;
  /** Whether responders must call each certificate good: makeRevocation(). */
  readonly isOcspAsked: boolean;
  /** Whether revocation lists must not name it; those of the trust store are in `context`. */
  readonly isCrlAsked: boolean;
  /** Whether a client's certificate must name its address. */
  readonly isClientNameChecked: boolean;
  /** Whether a name that the DNS has for the address is enough. */
  readonly isReverseLookupAllowed: boolean;
  readonly files: readonly string[];
}

export interface TlsSource
  extends Pick<
    Config,
    | 'sslKeyStoreLocation'
    | 'sslKeyStoreType'
    | 'sslKeyStorePassword'
    | 'sslKeyStorePasswordPath'
    | 'sslTrustStoreLocation'
    | 'sslTrustStoreType'
    | 'sslTrustStorePassword'
    | 'sslTrustStorePasswordPath'
    | 'sslProtocol'
    | 'sslEnabledProtocols'
    | 'sslCiphersuites'
    | 'sslCrl'
    | 'sslOcsp'
    | 'sslAuthProvider'
    | 'sslClientAuth'
    | 'sslClientHostnameVerification'
    | 'sslAllowReverseDnsLookup'
  > {
  readonly prefix: 'ssl' | 'ssl.quorum' | 'metricsProvider.ssl';
  readonly needOption: string;
  /** The peer, for error texts. */
  readonly whom: 'client' | 'server';
}

/** For clients. @throws ServerError ECONFIG that names the option, or the file and its fault */
export function readTlsOptions(config: Config, onWarning: (message: string) => void): TlsOptions {
  const source: TlsSource = {
    ...config,
    prefix: 'ssl',
    needOption: 'ssl.clientAuth=need',
    whom: 'client',
    // As in Apache's server (X509Util), it takes both options; config.ts warns.
    sslClientHostnameVerification:
      config.sslHostnameVerification && config.sslClientHostnameVerification,
  };
  return readTlsSource(source, onWarning);
}

export function readQuorumTlsOptions(
  config: Config,
  onWarning: (message: string) => void,
  needOption = 'ssl.quorum.clientAuth=need',
): TlsOptions {
  const source: TlsSource = {
    prefix: 'ssl.quorum',
    needOption,
    whom: 'server',
    sslAuthProvider: 'x509',
    sslKeyStoreLocation: config.sslQuorumKeyStoreLocation,
    sslKeyStoreType: config.sslQuorumKeyStoreType,
    sslKeyStorePassword: config.sslQuorumKeyStorePassword,
    sslKeyStorePasswordPath: config.sslQuorumKeyStorePasswordPath,
    sslTrustStoreLocation: config.sslQuorumTrustStoreLocation,
    sslTrustStoreType: config.sslQuorumTrustStoreType,
    sslTrustStorePassword: config.sslQuorumTrustStorePassword,
    sslTrustStorePasswordPath: config.sslQuorumTrustStorePasswordPath,
    sslProtocol: config.sslQuorumProtocol,
    sslEnabledProtocols: config.sslQuorumEnabledProtocols,
    sslCiphersuites: config.sslQuorumCiphersuites,
    sslCrl: config.sslQuorumCrl,
    sslOcsp: config.sslQuorumOcsp,
    sslClientAuth: config.sslQuorumClientAuth,
    // A server that does not check the servers it dials does not check its clients, either.
    sslClientHostnameVerification:
      config.sslQuorumHostnameVerification && config.sslQuorumClientHostnameVerification,
    sslAllowReverseDnsLookup: config.sslQuorumAllowReverseDnsLookup,
  };
  return readTlsSource(source, onWarning);
}

/** For operators of the AdminServer: the same files, without a check of names. */
export function readAdminTlsOptions(
  config: Config,
  clientAuth: TlsOptions['clientAuth'],
  onWarning: (message: string) => void,
): TlsOptions {
  const options = { sslQuorumClientAuth: clientAuth, sslQuorumClientHostnameVerification: false };
  return readQuorumTlsOptions({ ...config, ...options }, onWarning, 'admin.needClientAuth=true');
}

/** @throws ServerError ECONFIG that names the option, or the file and its fault */
export function readTlsSource(config: TlsSource, onWarning: (message: string) => void): TlsOptions {
  const { prefix, whom } = config;
  refuseUnknownProvider(config);
  const keyFile = storeFile(
    config.sslKeyStoreLocation,
    config.sslKeyStoreType,
    config.sslKeyStorePassword,
    config.sslKeyStorePasswordPath,
  );
  const trustFile = storeFile(
    config.sslTrustStoreLocation,
    config.sslTrustStoreType,
    config.sslTrustStorePassword,
    config.sslTrustStorePasswordPath,
  );
  if (keyFile === undefined) {
    throw configFault(`${prefix}.keyStore.location: missing: TLS for ${whom}s needs a certificate`);
  }
  if (trustFile === undefined && config.sslClientAuth !== 'none') {
    onWarning(
      `${prefix}.trustStore.location: not set: ${whom} certificates of all public authorities are accepted`,
    );
  }
  const versions = versionsOf(config, onWarning);
  const context = {
    ...versions,
    ...ciphersOf(config, onWarning),
    ...storesOf(config, keyFile, trustFile),
    // A resumed session would survive a revoked certificate or a changed trust store.
    ...(config.sslClientAuth === 'none' ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    honorCipherOrder: true,
  };
  try {
    createSecureContext(context);
  } catch (cause) {
    throw configFault(`${prefix}.*: unusable combination of options: ${messageOf(cause)}`, cause);
  }
  return {
    context,
    clientAuth: config.sslClientAuth,
    needOption: config.needOption,
    isOcspAsked: config.sslOcsp,
    isCrlAsked: config.sslCrl,
    isClientNameChecked: config.sslClientHostnameVerification,
    isReverseLookupAllowed: config.sslAllowReverseDnsLookup,
    files: [keyFile, trustFile].flatMap((file) => (file === undefined ? [] : [file.location])),
  };
}

function refuseUnknownProvider(config: TlsSource): void {
  if (config.sslAuthProvider !== 'x509') {
    throw configFault(`ssl.authProvider: unknown: "${config.sslAuthProvider}" (expected x509)`);
  }
}

interface OpenStore extends Omit<StoreFile, 'password'> {
  readonly password: () => string;
}

/** A password file takes precedence over a password in the configuration, as in Apache's server. */
function storeFile(
  location: string | null,
  type: StoreFile['type'],
  password: string | null,
  passwordPath: string | null,
): OpenStore | undefined {
  if (location === null) return undefined;
  const read = () => (passwordPath === null ? (password ?? '') : readPasswordFile(passwordPath));
  return { location, type, password: read };
}

function storesOf(
  config: TlsSource,
  keyFile: OpenStore,
  trustFile: OpenStore | undefined,
): SecureContextOptions {
  const { prefix } = config;
  try {
    const { key, chain } = readKeyStore({ ...keyFile, password: keyFile.password() });
    const own = { key, cert: chain };
    if (trustFile === undefined) {
      const key = config.sslCrl ? 'crl' : config.sslOcsp ? 'ocsp' : undefined;
      if (key !== undefined) {
        throw configFault(
          `${prefix}.${key}=true: needs ${prefix}.trustStore.location, which is not set`,
        );
      }
      return own;
    }
    const trust = readTrustStore({ ...trustFile, password: trustFile.password() });
    const ca = [...trust.certificates];
    // Without lists of its own, the server fetches those that certificates name.
    if (!config.sslCrl || trust.revocationLists.length === 0) return { ...own, ca };
    return { ...own, ca, crl: [...trust.revocationLists] };
  } catch (error) {
    if (error instanceof StoreError) throw configFault(error.message, error);
    throw error;
  }
}

const VERSIONS: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
/**
 * TLS 1.2 and 1.3, unless the options say otherwise. Without enabledProtocols, Apache's client port
 * takes the version of ssl.protocol alone (ClientX509Util), and its quorum port the versions that
 * Java enables for ssl.quorum.protocol (SSLContextAndOptions).
 */
function versionsOf(config: TlsSource, onWarning: (message: string) => void): SecureContextOptions {
  const { prefix, sslProtocol, sslEnabledProtocols } = config;
  if (sslEnabledProtocols === null) {
    const both = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' } as const;
    // In Java, TLS without a number means all its versions.
    if (sslProtocol === null || sslProtocol.toUpperCase() === 'TLS') return both;
    const only = versionNamed(`${prefix}.protocol`, sslProtocol);
    if (prefix === 'ssl.quorum' && only === 'TLSv1.3') return both;
    return { minVersion: only, maxVersion: only };
  }
  const named = sslEnabledProtocols
    .split(',')
    .map((name) => versionNamed(`${prefix}.enabledProtocols`, name.trim()));
  const indexes = named.map((name) => VERSIONS.indexOf(name));
  const [min, max] = [Math.min(...indexes), Math.max(...indexes)];
  const missing = VERSIONS.slice(min, max + 1).filter((version) => !named.includes(version));
  if (missing.length > 0) {
    onWarning(`${prefix}.enabledProtocols: omits ${missing.join(', ')}, which is accepted anyway`);
  }
  const [minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3'] = [VERSIONS[min], VERSIONS[max]];
  return { minVersion, maxVersion };
}

function versionNamed(option: string, name: string): SecureVersion {
  const version = VERSIONS.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  if (version === undefined) {
    throw configFault(`${option}: unknown version: "${name}" (expected ${VERSIONS.join(', ')})`);
  }
  return version;
}

function ciphersOf(config: TlsSource, onWarning: (message: string) => void): SecureContextOptions {
  const { prefix } = config;
  if (config.sslCiphersuites === null) return {};
  const known = new Set(getCiphers().map((name) => name.toUpperCase()));
  const taken: string[] = [];
  for (const name of config.sslCiphersuites.split(',').map((part) => part.trim())) {
    const own = opensslName(name);
    if (known.has(own)) taken.push(own);
    else onWarning(`${prefix}.ciphersuites: unknown cipher suite: "${name}"`);
  }
  if (taken.length === 0)
    throw configFault(`${prefix}.ciphersuites: has no cipher suite of this server`);
  return { ciphers: taken.join(':') };
}

export function configFault(message: string, cause?: unknown): ServerError {
  return new ServerError('ECONFIG', ExitCode.USAGE, message, cause);
}
