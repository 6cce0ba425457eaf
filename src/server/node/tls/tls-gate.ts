import type { Socket } from 'node:net';
import {
  createServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import {
  type DerItem,
  DerTag,
  expectItem,
  expectItems,
  readItem,
  readItems,
  readOid,
} from '../../../certificates/der-reader.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { checkHost } from '../sockets/names-host.js';
import { keyOf, PendingSockets } from '../sockets/pending-sockets.js';
import { addressOf, nameOf } from '../sockets/remote-name.js';
import { reverseNames } from '../sockets/reverse-names.js';
import { makeRevocation, type Revocation } from './revocation.js';
import { isNamedAsIssuer, makeTrustCheck } from './self-issued.js';
import type { TlsOptions } from './tls-options.js';

/** TLS handshakes. One that fails, stalls, or exceeds a limit closes only its own socket. */

export interface TlsGateOptions {
  readonly tls: TlsOptions;
  /** netty.server.outstandingHandshake.limit; 0 or less disables it. */
  readonly maxHandshakes: number;
  /** Sockets per address that are not clients yet (maxClientCnxns); 0 disables the limit. */
  readonly maxPerAddress: number;
  /** For the first byte on a shared port (ssl.handshakeDetectionTimeoutMillis). */
  readonly detectionTimeoutMs: number;
  /** Default 10000. */
  readonly handshakeTimeoutMs?: number;
  /** Accepts a client. @param subject of its certificate, RFC 2253; undefined without one */
  readonly accept: (socket: Socket, subject: string | undefined) => void;
  /** @param reason a sentence that names the client */
  readonly onFailure: (reason: string) => void;
  readonly onTooMany: () => void;
  readonly onRejected: () => void;
  /** @param from its address @param value of the current limit */
  readonly onLimit: (limit: LimitName, from: string, value: number) => void;
}

const HANDSHAKE_TIMEOUT_MS = LIMITS.tlsHandshakeTime.value;
/** The first byte of a TLS handshake record; no word and no valid length begins with it. */
const HANDSHAKE_RECORD = 0x16;
/** A fatal alert (protocol_version) tells a client without TLS why it is closed. */
const NOT_TLS_ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]);

export class TlsGate {
  private readonly options: TlsGateOptions;
  private readonly server: TlsServer;
  /** Sockets before their first byte, or in a handshake. */
  private readonly pending: PendingSockets;
  private readonly handshaking = new Set<string>();
  private isTrusted: (socket: TLSSocket) => boolean;
  private revocation: Revocation | undefined;

  constructor(options: TlsGateOptions) {
    this.options = options;
    this.pending = new PendingSockets(options.maxPerAddress);
    const { tls, handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options;
    this.isTrusted = makeTrustCheck(tls.context);
    this.revocation = makeRevocation(tls);
    this.server = createServer({
      ...tls.context,
      handshakeTimeout: handshakeTimeoutMs,
      requestCert: tls.clientAuth !== 'none',
      // Only OpenSSL can send an alert that says why, and only `handleSecured` goes by signatures.
      rejectUnauthorized: tls.clientAuth === 'need' && !isNamedAsIssuer(tls.context),
    });
    this.server.on('secureConnection', (socket) => this.handleSecured(socket));
    this.server.on('tlsClientError', (error, socket) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') {
        options.onLimit('tlsHandshakeTime', addressOf(socket), handshakeTimeoutMs);
      }
      const isLacking = code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
      this.fail(socket, isLacking ? this.lacking(socket) : reasonOf(error, socket));
    });
  }

  get outstanding(): number {
    return this.handshaking.size;
  }

  /** Applies to later handshakes. */
  reload(context: SecureContextOptions): void {
    this.server.setSecureContext(context);
    this.isTrusted = makeTrustCheck(context);
    this.revocation = makeRevocation({ ...this.options.tls, context });
  }

  /** @param acceptPlain accepts a client without TLS; by default none is accepted */
  take(socket: Socket, acceptPlain?: (socket: Socket) => void): void {
    // A client that has left has no address, which is needed to distinguish clients.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    if (!this.pending.add(socket)) {
      this.options.onRejected();
      const { onLimit, maxPerAddress } = this.options;
      onLimit('connectionsPerAddress', addressOf(socket), maxPerAddress);
      socket.destroy();
      return;
    }
    const timeoutMs =
      acceptPlain === undefined
        ? (this.options.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS)
        : this.options.detectionTimeoutMs;
    const timer = setTimeout(() => {
      this.options.onLimit('tlsHandshakeTime', addressOf(socket), timeoutMs);
      this.options.onFailure(`${nameOf(socket)} sent nothing for ${timeoutMs} ms`);
      socket.destroy();
    }, timeoutMs);
    const ignore = (): void => undefined;
    const leave = (): void => {
      socket.destroy();
    };
    socket.on('error', ignore);
    socket.once('close', () => clearTimeout(timer));
    socket.once('end', leave);
    socket.once('data', (bytes) => {
      clearTimeout(timer);
      socket.off('end', leave);
      socket.pause();
      socket.unshift(bytes);
      if (bytes[0] === HANDSHAKE_RECORD) this.handshake(socket);
      else if (acceptPlain !== undefined) {
        socket.off('error', ignore);
        this.pending.remove(socket);
        acceptPlain(socket);
        socket.resume();
      } else {
        this.options.onFailure(`${nameOf(socket)} spoke without TLS`);
        socket.end(NOT_TLS_ALERT, () => socket.destroySoon());
      }
    });
  }

  close(): void {
    this.revocation?.close();
    for (const socket of this.pending.values()) socket.destroy();
  }

  private handshake(socket: Socket): void {
    const { maxHandshakes, onLimit } = this.options;
    if (maxHandshakes > 0 && this.handshaking.size >= maxHandshakes) {
      this.options.onTooMany();
      onLimit('tlsHandshakes', addressOf(socket), maxHandshakes);
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    this.handshaking.add(key);
    socket.once('close', () => this.handshaking.delete(key));
    // A client that leaves during a handshake is gone, not half open.
    socket.allowHalfOpen = false;
    this.server.emit('connection', socket);
  }

  private handleSecured(socket: TLSSocket): void {
    socket.allowHalfOpen = true;
    // Without a certificate, it is an empty object, in spite of its type.
    const certificate: Buffer | undefined = socket.getPeerCertificate().raw;
    if (certificate === undefined) {
      if (this.options.tls.clientAuth === 'need') this.fail(socket, this.lacking(socket));
      else this.accept(socket, undefined);
      return;
    }
    // Also with ssl.clientAuth=want: Java refuses untrusted ones.
    if (!this.isTrusted(socket)) {
      this.fail(socket, certificateReason(socket));
      return;
    }
    const identify = (): void => {
      const subject = certificateSubject(certificate);
      if (this.options.tls.isClientNameChecked) this.acceptNamed(socket, subject);
      else this.accept(socket, subject);
    };
    if (this.revocation === undefined) identify();
    else this.continueUnlessRevoked(socket, this.revocation.find(socket), identify);
  }

  private continueUnlessRevoked(
    socket: TLSSocket,
    finding: ReturnType<Revocation['find']>,
    next: () => void,
  ): void {
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    finding.then((reason) => {
      socket.off('error', ignore);
      if (socket.destroyed) return;
      if (reason === undefined) next();
      else
        this.fail(socket, `${nameOf(socket)} has a certificate that is not accepted (${reason})`);
    });
  }

  private accept(socket: TLSSocket, subject: string | undefined): void {
    this.handshaking.delete(keyOf(socket));
    this.pending.remove(socket);
    this.options.accept(socket, subject);
  }

  /** The certificate must name the client's address, or a host name of that address. */
  private acceptNamed(socket: TLSSocket, subject: string): void {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
    const peer = socket.getPeerCertificate();
    const isNamed = (host: string) => checkHost(host, peer) === undefined;
    if (isNamed(address)) {
      this.accept(socket, subject);
      return;
    }
    if (!this.options.tls.isReverseLookupAllowed) {
      this.fail(socket, `${nameOf(socket)} has a certificate that does not name its address`);
      return;
    }
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    const judge = (names: readonly string[]): void => {
      socket.off('error', ignore);
      if (socket.destroyed) return;
      if (names.some(isNamed)) this.accept(socket, subject);
      else this.fail(socket, `${nameOf(socket)} has a certificate that does not name it`);
    };
    reverseNames(address).then(judge, () => judge([]));
  }

  private lacking(socket: TLSSocket): string {
    const { needOption } = this.options.tls;
    return `${nameOf(socket)} sent no certificate, which ${needOption} requires`;
  }

  private fail(socket: TLSSocket, reason: string): void {
    this.options.onFailure(reason);
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'supports no version of TLS that this server accepts',
  ERR_SSL_NO_SHARED_CIPHER: 'supports no cipher suite that this server accepts',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'did not finish its handshake in time',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: "does not trust the authority of this server's certificate",
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: "refused this server's certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: "refused this server's certificate",
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: "reports that this server's certificate expired",
};

function reasonOf(error: NodeJS.ErrnoException, socket: TLSSocket): string {
  if (socket.authorizationError) return certificateReason(socket);
  const { code = error.message } = error;
  if (code === 'ECONNRESET') return `${nameOf(socket)} left during its handshake`;
  return `${nameOf(socket)} ${REASONS[code] ?? `failed in its handshake (${code})`}`;
}

function certificateReason(socket: TLSSocket): string {
  return `${nameOf(socket)} has a certificate that is not accepted (${String(socket.authorizationError)})`;
}

// The subject of a certificate as Java's X500Principal.getName() writes it (RFC 2253), for ids of
// the scheme x509. Last RDN first; attributes without a name are an OID and the value in hex.

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.9', 'STREET'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
]);

const TEXTS: ReadonlySet<number> = new Set([
  DerTag.UTF8_STRING,
  DerTag.PRINTABLE_STRING,
  DerTag.T61_STRING,
  DerTag.IA5_STRING,
  DerTag.GENERAL_STRING,
  DerTag.UNIVERSAL_STRING,
  DerTag.BMP_STRING,
]);

/** @param certificate X.509 in DER @throws DerError */
export function certificateSubject(certificate: Buffer): string {
  const parts = readItems(readItem(certificate).content);
  const content = expectItems(parts, 0, DerTag.SEQUENCE);
  // Version 1 omits version [0]; then serial, signature, issuer, validity, subject.
  const subjectAt = content[0]?.tag === 0xa0 ? 5 : 4;
  const rdns = expectItems(content, subjectAt, DerTag.SEQUENCE);
  return rdns.reverse().map(rdnText).join(',');
}

function rdnText(rdn: DerItem): string {
  return readItems(rdn.content).map(attributeText).join('+');
}

function attributeText(attribute: DerItem): string {
  const parts = readItems(attribute.content);
  const oid = readOid(expectItem(parts, 0, DerTag.OID));
  const value = parts[1] ?? { tag: 0, content: Buffer.alloc(0), whole: Buffer.alloc(0) };
  const keyword = KEYWORDS.get(oid);
  if (keyword === undefined || !TEXTS.has(value.tag)) {
    return `${keyword ?? oid}=#${value.whole.toString('hex')}`;
  }
  return `${keyword}=${escaped(value.content.toString('utf8'))}`;
}

function escaped(text: string): string {
  const marked = text.replace(/[,=+<>#;"\\]/g, '\\$&').replaceAll('\0', '\\00');
  return marked
    .replace(/^ +/, (blanks) => '\\ '.repeat(blanks.length))
    .replace(/(?<! ) +$/, (blanks) => '\\ '.repeat(blanks.length));
}
