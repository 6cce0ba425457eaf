import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext, SecureContextOptions, TLSSocket } from 'node:tls';
import { brand } from '../../base/brand.js';
import { loadCrypto, loadTls } from '../../base/load-on-demand.js';
import { BY_NAME_ALONE, isSignedByAuthority } from '../../certificates/signed-by-authority.js';
import type { ServerAddress } from './connect-string.js';

/** As in Node.js's `minVersion` and `maxVersion`. */
export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** A store of Java or OpenSSL: PKCS #12, JKS, or PEM. Its content shows which. */
export interface TlsStore {
  /** The path of the file, which is read when the client is created, or its content. */
  readonly source: string | Uint8Array;
  /** The password of the store and its key. Default: none. */
  readonly password?: string | undefined;
}

/** The TLS options of a client. Certificates and keys are in PEM, or in stores. */
export interface TlsOptions {
  /** CAs to trust. Default: those that Node trusts. */
  readonly ca?: string | Buffer | undefined;
  /** The client certificate with its chain, and possibly its key. */
  readonly cert?: string | Buffer | undefined;
  /** Default: the key in `cert`. */
  readonly key?: string | Buffer | undefined;
  /** Passphrase of the key. */
  readonly passphrase?: string | undefined;
  /** The private key and its certificates, instead of `cert` and `key`. */
  readonly keyStore?: TlsStore | undefined;
  /** The CAs to trust, instead of `ca`. */
  readonly trustStore?: TlsStore | undefined;
  /** The expected name in the server's certificate. Default: the host of the connect string. */
  readonly servername?: string | undefined;
  /** The lowest version. Default: TLSv1.2. */
  readonly minVersion?: TlsVersion | undefined;
  /** The highest version. Default: TLSv1.3. */
  readonly maxVersion?: TlsVersion | undefined;
  /** Accepted cipher suites by their OpenSSL names, with ":" between them. Default: Node's. */
  readonly ciphers?: string | undefined;
  /**
   * False accepts a certificate of a trusted CA for any host, so every owner of one can impersonate
   * the server. Default true.
   */
  readonly isNameVerified?: boolean | undefined;
  /** False accepts any certificate, so anybody can impersonate the server. Default true. */
  readonly isVerified?: boolean | undefined;
  /**
   * True asks the OCSP responders that the certificates of the server name, and refuses a server
   * that they do not call good. Needs `ca` or `trustStore`. Default false.
   */
  readonly isOcspChecked?: boolean | undefined;
  /**
   * True fetches the revocation lists that the certificates of the server name, and refuses a
   * server without one, or that one names. With `isOcspChecked`, a list counts only if no responder
   * answers. Needs `ca`. Default false.
   */
  readonly isCrlChecked?: boolean | undefined;
}

/** An unusable TLS option. Thrown when a client is created. */
export class TlsOptionError extends RangeError {
  override readonly name = 'TlsOptionError';
  /** The field of `TlsOptions`. */
  readonly option: 'ca' | 'cert' | 'key' | 'keyStore' | 'trustStore' | 'ciphers';
  /** For example "given without a private key". */
  readonly problem: string;

  constructor(option: TlsOptionError['option'], problem: string, options?: ErrorOptions) {
    super(`tls.${option}: ${problem}`, options);
    this.option = option;
    this.problem = problem;
  }
}

brand(TlsOptionError, 'TlsOptionError');

const DEFAULTS: TlsOptions = {};
const contexts = new WeakMap<TlsOptions, SecureContext>();

/** @throws TlsOptionError */
export function tlsConnectOptions(
  address: ServerAddress,
  tls: TlsOptions = DEFAULTS,
): ConnectionOptions {
  // Node checks an IP address against the certificate, but SNI cannot contain one.
  const name = isIP(address.host) === 0 ? address.host : '';
  return {
    secureContext: secureContextOf(tls),
    servername: tls.servername ?? name,
    // With given authorities, certificateFault() decides: it trusts more than OpenSSL does.
    rejectUnauthorized: tls.isVerified !== false && tls.ca === undefined,
    ...(tls.isNameVerified === false ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Why the certificate of a server is refused after the handshake; undefined if it is accepted. */
export function certificateFault(
  socket: TLSSocket,
  { host }: ServerAddress,
  { ca, servername, isVerified, isNameVerified }: TlsOptions = DEFAULTS,
): Error | undefined {
  if (isVerified === false || socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  // getPeerX509Certificate() would take it away from later calls (Node.js 20).
  const certificate = socket.getPeerCertificate();
  const { X509Certificate } = loadCrypto();
  const isTrusted =
    code === OTHER_HOST ||
    (code === BY_NAME_ALONE &&
      ca !== undefined &&
      isSignedByAuthority(new X509Certificate(certificate.raw), certificatesIn(ca)));
  if (!isTrusted) return Object.assign(new Error(`certificate: not accepted: ${code}`), { code });
  if (isNameVerified === false) return undefined;
  // Node.js compares names only if it finds nothing else wrong.
  return loadTls().checkServerIdentity(servername ?? host, certificate);
}

/** The code of a trusted certificate with another host. */
export const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';

/** Cached, because reading keys takes longer than a handshake. @throws TlsOptionError */
export function secureContextOf(tls: TlsOptions): SecureContext {
  const known = contexts.get(tls);
  if (known !== undefined) return known;
  const { ca, cert, passphrase } = tls;
  const key = tls.key ?? cert;
  for (const option of ['isOcspChecked', 'isCrlChecked'] as const) {
    if (tls[option] === true && ca === undefined) {
      throw new TlsOptionError('ca', `not given, but ${option} needs it`);
    }
  }
  if (ca !== undefined) checkAuthorities(ca.toString());
  if (cert !== undefined && key !== undefined) checkPair(cert, key, passphrase);
  else if (key !== undefined) throw new TlsOptionError('key', 'given without a certificate');
  const context = createContext(tls, {
    minVersion: tls.minVersion ?? 'TLSv1.2',
    ...(tls.maxVersion === undefined ? {} : { maxVersion: tls.maxVersion }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  contexts.set(tls, context);
  return context;
}

function createContext({ ciphers }: TlsOptions, options: SecureContextOptions): SecureContext {
  if (ciphers === undefined) return loadTls().createSecureContext(options);
  try {
    return loadTls().createSecureContext({ ...options, ciphers });
  } catch (cause) {
    throw new TlsOptionError('ciphers', `unusable: "${ciphers}"`, { cause });
  }
}

function checkAuthorities(pem: string): void {
  if (certificatesIn(pem).length === 0) {
    throw new TlsOptionError('ca', 'contains no certificate in PEM');
  }
}

export function certificatesIn(pem: string | Buffer): readonly X509Certificate[] {
  const blocks = pem
    .toString()
    .match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  return (blocks ?? []).map((block) => certificateOf('ca', block));
}

function checkPair(
  cert: string | Buffer,
  key: string | Buffer,
  passphrase: string | undefined,
): void {
  const certificate = certificateOf('cert', cert);
  if (!key.includes('PRIVATE KEY-----')) {
    throw new TlsOptionError('cert', 'given without a private key');
  }
  if (!certificate.checkPrivateKey(privateKeyOf(key, passphrase))) {
    throw new TlsOptionError('key', 'does not match the certificate');
  }
}

function certificateOf(option: 'ca' | 'cert', pem: string | Buffer): X509Certificate {
  const { X509Certificate } = loadCrypto();
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TlsOptionError(option, 'unreadable (expected PEM)', { cause });
  }
}

function privateKeyOf(key: string | Buffer, passphrase: string | undefined) {
  try {
    return loadCrypto().createPrivateKey({
      key,
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  } catch (cause) {
    const why =
      passphrase === undefined
        ? 'it is encrypted without a given passphrase, or damaged'
        : 'its passphrase is wrong, or it is damaged';
    throw new TlsOptionError('key', `unreadable: ${why}`, { cause });
  }
}
