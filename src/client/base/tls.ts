import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext, SecureContextOptions, TLSSocket } from 'node:tls';
import { BY_NAME_ALONE, isSignedByAuthority } from '../../certificates/signed-by-authority.js';
import type { ServerAddress } from './connect-string.js';
import { loadCrypto, loadTls } from './load-on-demand.js';
import { errorCode, SocketFault } from './socket-fault.js';

type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** A store of Java or OpenSSL: PKCS #12, JKS, or PEM. Its content shows which. */
export interface TlsStore {
  /** The path of the file, which is read when the client is created, or its content. */
  readonly source: string | Uint8Array;
  /** Of the store and its key. Default: none. */
  readonly password?: string;
}

/** The TLS options of a client. Certificates and keys are in PEM, or in stores. */
export interface TlsOptions {
  /** CAs to trust. Default: those that Node trusts. */
  readonly ca?: string | Buffer;
  /** The client certificate with its chain, and possibly its key. */
  readonly cert?: string | Buffer;
  /** Default: the key in `cert`. */
  readonly key?: string | Buffer;
  /** Passphrase of the key. */
  readonly passphrase?: string;
  /** The private key and its certificates, instead of `cert` and `key`. */
  readonly keyStore?: TlsStore;
  /** The CAs to trust, instead of `ca`. */
  readonly trustStore?: TlsStore;
  /** The expected name in the server's certificate. Default: the host of the connect string. */
  readonly servername?: string;
  /** The lowest version. Default: TLSv1.2. */
  readonly minVersion?: TlsVersion;
  /** The highest version. Default: TLSv1.3. */
  readonly maxVersion?: TlsVersion;
  /** Accepted cipher suites by their OpenSSL names, with ":" between them. Default: Node's. */
  readonly ciphers?: string;
  /**
   * False accepts a certificate of a trusted CA for any host, so every owner of one can impersonate
   * the server. Default true.
   */
  readonly isNameVerified?: boolean;
  /** False accepts any certificate, so anybody can impersonate the server. Default true. */
  readonly isVerified?: boolean;
  /**
   * True asks the OCSP responders that the certificates of the server name, and refuses a server
   * that they do not call good. Needs `ca` or `trustStore`. Default false.
   */
  readonly isOcspChecked?: boolean;
  /**
   * True fetches the revocation lists that the certificates of the server name, and refuses a
   * server without one, or that one names. With `isOcspChecked`, a list counts only if no responder
   * answers. Needs `ca`. Default false.
   */
  readonly isCrlChecked?: boolean;
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

/** Of a trusted certificate. */
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';

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

const UNKNOWN_AUTHORITY =
  'has a certificate of an untrusted authority: add the authority as ca (--cacert)';
/** Before TLS 1.3, Java also sends it for a missing certificate. */
const BAD_CERTIFICATE = 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE';
const UNTRUSTED_HERE = "refused this client's certificate";

const PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has an expired certificate',
  CERT_NOT_YET_VALID: 'has a certificate that is not yet valid: compare the clocks',
  CERT_REVOKED: 'has a revoked certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  INVALID_PURPOSE: 'has a certificate that is not for servers',
  CERT_SIGNATURE_FAILURE: 'has a certificate that its authority did not sign',
  ERR_SSL_WRONG_VERSION_NUMBER: 'answers without TLS: it may be the plain client port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'answers without TLS: it may be the plain client port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'supports no version of TLS since 1.2',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'supports no version of TLS that this client supports',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'refused the TLS handshake: it may require a client certificate, or share no cipher suite',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'requires a client certificate: add cert and key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: UNTRUSTED_HERE,
  [BAD_CERTIFICATE]: UNTRUSTED_HERE,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: UNTRUSTED_HERE,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "reports that this client's certificate expired",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: "reports that this client's certificate was revoked",
};

export interface TlsProgress {
  readonly isSecured: boolean;
  readonly hasReceived: boolean;
}

/** Describes an error of TLS; undefined for other errors. */
export function describeTlsError(
  error: unknown,
  address: ServerAddress,
  tls: TlsOptions | undefined,
  progress: TlsProgress,
): SocketFault | undefined {
  const code = errorCode(error);
  const fault = (problem: string) => new SocketFault('tls', address, problem, { cause: error });
  if (code === OTHER_HOST) {
    return fault(
      `has a certificate for ${namesOf(error)} (expected ${tls?.servername ?? address.host})`,
    );
  }
  if (code === 'EREVOCATION') {
    return fault(`has a certificate that is not accepted (${(error as Error).message})`);
  }
  const isUnknown = code === BAD_CERTIFICATE && tls?.cert === undefined;
  const problem = PROBLEMS[isUnknown ? 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' : code];
  if (problem !== undefined) return fault(problem);
  if (code === 'ECONNRESET' && isHandshakeReset(error, progress)) {
    return describeTlsClose(address, tls, progress, error);
  }
  const isOfTls = code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO';
  return isOfTls ? fault(`failed the TLS handshake (${code})`) : undefined;
}

/** Why a server may have closed the connection without an answer; undefined if it has answered. */
export function describeTlsClose(
  address: ServerAddress,
  tls: TlsOptions | undefined,
  { isSecured, hasReceived }: TlsProgress,
  cause?: unknown,
): SocketFault | undefined {
  if (hasReceived) return undefined;
  // With TLS 1.3, a server judges the client's certificate only after the handshake.
  const doubt =
    tls?.cert === undefined
      ? 'it may require a client certificate'
      : "it may not trust this client's certificate";
  const problem = isSecured
    ? `closed the connection after the TLS handshake: ${doubt}, or lack a quorum`
    : `closed the connection in the TLS handshake: it may be the plain client port, or ${doubt}`;
  return new SocketFault('tls', address, problem, { cause });
}

/** Whether a TLS server sent this alert to a client without TLS. */
export function looksLikeTls(firstBytes: Uint8Array): boolean {
  return firstBytes[0] === ALERT_RECORD && firstBytes[1] === 0x03;
}

const ALERT_RECORD = 0x15;

export function plainToSecure(address: ServerAddress): SocketFault {
  return new SocketFault('tls', address, 'accepts only TLS on this port: add the prefix zks://');
}

function isHandshakeReset(error: unknown, { isSecured, hasReceived }: TlsProgress): boolean {
  if (isSecured) return !hasReceived;
  // Node's error for an end in the handshake has no system call; a reset of the network has.
  return !(error instanceof Error && 'syscall' in error && error.syscall === 'connect');
}

function namesOf(error: unknown): string {
  const cert = error instanceof Error && 'cert' in error ? error.cert : undefined;
  const names = (cert as { subjectaltname?: string } | undefined)?.subjectaltname;
  return names === undefined ? 'another host' : names.replace(/\b(DNS|IP Address):/g, '');
}
