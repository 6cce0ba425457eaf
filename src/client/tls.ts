import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import type { ServerAddress } from './connect-string.js';
import { loadCrypto, loadTls } from './load-on-demand.js';
import { errorCode, SocketFault } from './socket-fault.js';

/** How a client talks TLS. The contents of files, not their names; all in PEM. */
export interface TlsOptions {
  /** Authorities to trust. Default: those that Node trusts. */
  readonly ca?: string | Buffer;
  /** The client's own certificate, those that lead to its authority, and maybe its key. */
  readonly cert?: string | Buffer;
  /** Default: the key that stands in `cert`. */
  readonly key?: string | Buffer;
  /** Of the key. */
  readonly passphrase?: string;
  /** The name that the server's certificate must have. Default: the host of the connect string. */
  readonly servername?: string;
  /** False takes any certificate, so that anybody can pass for the server. Default true. */
  readonly isVerified?: boolean;
}

const DEFAULTS: TlsOptions = {};
const contexts = new WeakMap<TlsOptions, SecureContext>();

/**
 * What Node wants for a connection to `address`.
 * @throws RangeError that says which of the options cannot be used
 */
export function tlsConnectOptions(
  address: ServerAddress,
  tls: TlsOptions = DEFAULTS,
): ConnectionOptions {
  // An IP address is held against the certificate, but TLS has no way to ask for it.
  const name = isIP(address.host) === 0 ? address.host : '';
  return {
    secureContext: secureContextOf(tls),
    servername: tls.servername ?? name,
    rejectUnauthorized: tls.isVerified !== false,
  };
}

/** Made once, since reading keys takes longer than a handshake. @throws RangeError */
export function secureContextOf(tls: TlsOptions): SecureContext {
  const known = contexts.get(tls);
  if (known !== undefined) return known;
  const { ca, cert, passphrase } = tls;
  const key = tls.key ?? cert;
  if (ca !== undefined) checkAuthorities(ca.toString());
  if (cert !== undefined && key !== undefined) checkPair(cert, key, passphrase);
  else if (key !== undefined)
    throw new RangeError('a key (key) is given without a certificate (cert)');
  const context = loadTls().createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(passphrase === undefined ? {} : { passphrase }),
  });
  contexts.set(tls, context);
  return context;
}

function checkAuthorities(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  if (blocks === null) throw new RangeError('the authorities (ca) hold no certificate in PEM');
  for (const block of blocks) certificateOf('the authorities (ca)', block);
}

function checkPair(
  cert: string | Buffer,
  key: string | Buffer,
  passphrase: string | undefined,
): void {
  const certificate = certificateOf('the certificate (cert)', cert);
  if (!key.includes('PRIVATE KEY-----')) {
    throw new RangeError('a certificate (cert) is given without its private key (key)');
  }
  if (!certificate.checkPrivateKey(privateKeyOf(key, passphrase))) {
    throw new RangeError('the private key (key) belongs to another certificate than cert');
  }
}

function certificateOf(what: string, pem: string | Buffer): X509Certificate {
  const { X509Certificate } = loadCrypto();
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new RangeError(`${what} cannot be read as PEM`, { cause });
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
        ? 'it is under a passphrase, which is not given, or damaged'
        : 'its passphrase is another one, or it is damaged';
    throw new RangeError(`the private key (key) cannot be read: ${why}`, { cause });
  }
}

const UNKNOWN_AUTHORITY =
  'has a certificate of an authority that is not trusted here: give the authority as ca (--cacert)';
/** Also how Java says, before TLS 1.3, that there is none. */
const BAD_CERTIFICATE = 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE';
const UNTRUSTED_HERE = "does not take this client's certificate";

const SAYS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not yet valid: compare the clocks',
  CERT_REVOKED: 'has a certificate that was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: 'has a certificate that its authority did not sign',
  ERR_SSL_WRONG_VERSION_NUMBER: 'answers without TLS: is it the plain client port?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'answers without TLS: is it the plain client port?',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'speaks no version of TLS from 1.2 up',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'takes none of the versions of TLS that this client speaks',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'refused the TLS handshake: it may want a client certificate, or share no cipher suite',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'wants a client certificate: give cert and key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: UNTRUSTED_HERE,
  [BAD_CERTIFICATE]: UNTRUSTED_HERE,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: UNTRUSTED_HERE,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "finds this client's certificate expired",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: "finds this client's certificate revoked",
};

/** Where a connection over TLS stood when it ended. */
export interface TlsProgress {
  /** The handshake is over, as this side sees it. */
  readonly isSecured: boolean;
  readonly hasReceived: boolean;
}

/** The sentence for an error of TLS; undefined when TLS has no part in it. */
export function describeTlsError(
  error: unknown,
  address: ServerAddress,
  tls: TlsOptions | undefined,
  progress: TlsProgress,
): SocketFault | undefined {
  const code = errorCode(error);
  const fault = (says: string) => new SocketFault('tls', address, says, { cause: error });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return fault(
      `has a certificate for ${namesOf(error)}, not for ${tls?.servername ?? address.host}`,
    );
  }
  const isUnknown = code === BAD_CERTIFICATE && tls?.cert === undefined;
  const says = SAYS[isUnknown ? 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' : code];
  if (says !== undefined) return fault(says);
  if (code === 'ECONNRESET' && isHandshakeReset(error, progress)) {
    return describeTlsClose(address, tls, progress, error);
  }
  const isOfTls = code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO';
  return isOfTls ? fault(`failed in the TLS handshake (${code})`) : undefined;
}

/** Why a server may have closed without an answer; undefined when it had answered before. */
export function describeTlsClose(
  address: ServerAddress,
  tls: TlsOptions | undefined,
  { isSecured, hasReceived }: TlsProgress,
  cause?: unknown,
): SocketFault | undefined {
  if (hasReceived) return undefined;
  // A server tells only after a handshake of TLS 1.3 what it thinks of the client's certificate.
  const doubt =
    tls?.cert === undefined
      ? 'it may want a client certificate'
      : "it may not trust this client's certificate";
  const says = isSecured
    ? `closed the connection after the TLS handshake: ${doubt}, or be without a quorum`
    : `closed the connection in the TLS handshake: is it the plain client port? If not, ${doubt}`;
  return new SocketFault('tls', address, says, { cause });
}

/** Is it the alert of a server that speaks TLS to a client that does not? */
export function looksLikeTls(firstBytes: Uint8Array): boolean {
  return firstBytes[0] === ALERT_RECORD && firstBytes[1] === 0x03;
}

const ALERT_RECORD = 0x15;

/** A client without TLS was told so by a TLS alert. */
export function plainToSecure(address: ServerAddress): SocketFault {
  return new SocketFault('tls', address, 'speaks TLS alone on this port: write zks:// before it');
}

function isHandshakeReset(error: unknown, { isSecured, hasReceived }: TlsProgress): boolean {
  if (isSecured) return !hasReceived;
  // Node's own error for an end in the handshake has no system call; a reset on the wire has.
  return !(error instanceof Error && 'syscall' in error && error.syscall === 'connect');
}

function namesOf(error: unknown): string {
  const cert = error instanceof Error && 'cert' in error ? error.cert : undefined;
  const names = (cert as { subjectaltname?: string } | undefined)?.subjectaltname;
  return names === undefined ? 'another host' : names.replace(/\b(DNS|IP Address):/g, '');
}
