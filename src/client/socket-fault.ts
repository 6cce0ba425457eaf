import { formatServerAddress, type ServerAddress } from './connect-string.js';

/** Why a server could not be talked to, as a word a program can switch on. */
export type SocketFaultReason =
  | 'refused'
  | 'timeout'
  | 'dns'
  | 'reset'
  | 'unreachable'
  | 'empty'
  | 'tls'
  | 'too-large';

/** A connection that failed: the reason as a word, and a sentence that names the server. */
export class SocketFault extends Error {
  override readonly name = 'SocketFault';
  readonly code = 'ESOCKET';
  readonly reason: SocketFaultReason;
  /** "host:port". */
  readonly server: string;

  constructor(
    reason: SocketFaultReason,
    address: ServerAddress,
    says: string,
    options?: { cause?: unknown },
  ) {
    const server = formatServerAddress(address);
    super(`${server} ${says}`, options);
    this.reason = reason;
    this.server = server;
  }
}

const FAULTS: Readonly<Record<string, readonly [SocketFaultReason, string]>> = {
  ECONNREFUSED: ['refused', 'refused the connection'],
  ECONNRESET: ['reset', 'reset the connection'],
  EPIPE: ['reset', 'closed the connection while it was written to'],
  ETIMEDOUT: ['timeout', 'did not answer in time'],
  ENOTFOUND: ['dns', 'has a host name that does not exist'],
  EAI_AGAIN: ['dns', 'has a host name that no name server could look up'],
  EAI_FAIL: ['dns', 'has a host name that no name server could look up'],
  EHOSTUNREACH: ['unreachable', 'is on a host that cannot be reached'],
  ENETUNREACH: ['unreachable', 'is on a network that cannot be reached'],
  EADDRNOTAVAIL: ['unreachable', 'could not be dialled: no local address is free for it'],
};

/** Puts an error of a socket into words; the code stands in the sentence where none fits. */
export function describeSocketError(error: unknown, address: ServerAddress): SocketFault {
  const code = errorCode(error);
  const [reason, says] = FAULTS[code] ?? ['unreachable', `could not be reached (${code})`];
  return new SocketFault(reason, address, says, { cause: error });
}

/** The code of an error of Node, or its text. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return String(error);
}
