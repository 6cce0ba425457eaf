/** Errors of TLS in words, with what to do. */
import type { ServerAddress } from './connect-string.js';
import { errorCode, SocketFault } from './socket-fault.js';
import { OTHER_HOST, type TlsOptions } from './tls.js';

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
