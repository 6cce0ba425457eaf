import { brand } from '../../base/brand.js';
import { formatServerAddress, type ServerAddress } from './connect-string.js';

/** Why a server was unreachable, as a word for programs. */
export type SocketFaultReason =
  | 'refused'
  | 'timeout'
  | 'dns'
  | 'reset'
  | 'unreachable'
  | 'empty'
  | 'tls'
  | 'too-large';

/** A failed connection. The message names the server. */
export class SocketFault extends Error {
  override readonly name = 'SocketFault';
  readonly code = 'ESOCKET';
  /** For programs; the message is for people. */
  readonly reason: SocketFaultReason;
  /** "host:port". */
  readonly server: string;

  constructor(
    reason: SocketFaultReason,
    address: ServerAddress,
    problem: string,
    options?: { cause?: unknown },
  ) {
    const server = formatServerAddress(address);
    super(`${server} ${problem}`, options);
    this.reason = reason;
    this.server = server;
  }
}

brand(SocketFault, 'SocketFault');

const FAULTS: Readonly<Record<string, readonly [SocketFaultReason, string]>> = {
  ECONNREFUSED: ['refused', 'refused the connection'],
  ECONNRESET: ['reset', 'reset the connection'],
  EPIPE: ['reset', 'closed the connection during a write'],
  ETIMEDOUT: ['timeout', 'did not answer in time'],
  ENOTFOUND: ['dns', 'has a host name that does not exist'],
  EAI_AGAIN: ['dns', 'has a host name that no name server could resolve'],
  EAI_FAIL: ['dns', 'has a host name that no name server could resolve'],
  EHOSTUNREACH: ['unreachable', 'is on an unreachable host'],
  ENETUNREACH: ['unreachable', 'is on an unreachable network'],
  EADDRNOTAVAIL: ['unreachable', 'could not be dialed: no local address is free'],
};

/** Describes a socket error, with its code if it is unknown. */
export function describeSocketError(error: unknown, address: ServerAddress): SocketFault {
  const code = errorCode(error);
  const [reason, problem] = FAULTS[code] ?? ['unreachable', `could not be reached (${code})`];
  return new SocketFault(reason, address, problem, { cause: error });
}

/** True if the host answers, and nothing listens on the port. */
export function isRefused(fault: Error): boolean {
  return fault instanceof SocketFault && fault.reason === 'refused';
}

/** True if the two sides cannot agree on TLS, such as for a certificate of an unknown authority. */
export function isTls(fault: Error): boolean {
  return fault instanceof SocketFault && fault.reason === 'tls';
}

/** True if DNS says that the host does not exist; false if DNS cannot tell (EAI_AGAIN). */
export function isUnknownHost(fault: Error): boolean {
  return fault instanceof SocketFault && errorCode(fault.cause) === 'ENOTFOUND';
}

const CODES: Readonly<Record<SocketFaultReason, string>> = {
  refused: 'ECONNREFUSED',
  timeout: 'ETIMEDOUT',
  dns: 'ENOTFOUND',
  reset: 'ECONNRESET',
  unreachable: 'EHOSTUNREACH',
  empty: 'ECLOSED',
  tls: 'ETLS',
  'too-large': 'EMSGSIZE',
};

/** The reason of a failed attempt as a code: that of Node.js, if there is one. */
export function faultCode(fault: Error): string {
  for (let error: unknown = fault; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && code !== 'ESOCKET') return code;
  }
  return fault instanceof SocketFault ? CODES[fault.reason] : 'ECLOSED';
}

/** The code of an error of Node.js, or its text. */
export function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return String(error);
}
