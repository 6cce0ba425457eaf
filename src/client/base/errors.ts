import { ErrorCode, type ErrorName, errorMessage, errorName } from '../../protocol/error-code.js';
import type { ClientState } from './client.js';

/** Details of the error of a request besides its code. */
export interface ErrorDetails {
  /** The error below this one. */
  readonly cause?: unknown;
  /** A sentence after the code and the path. */
  readonly detail?: string;
  /** Length of a lost request that exceeds the default jute.maxbuffer. */
  readonly oversizeBytes?: number;
  /** Length of a reply that exceeds maxFrameLength. */
  readonly oversizeReplyBytes?: number;
  /** Default: what the code implies. */
  readonly hasUnknownOutcome?: boolean;
}

const WITHOUT_ANSWER: readonly number[] = [
  ErrorCode.CONNECTIONLOSS,
  ErrorCode.OPERATIONTIMEOUT,
  ErrorCode.REQUESTTIMEOUT,
];

/** The result of one operation, if not OK. `code` is ZooKeeper's name: "NONODE". */
export class ZooKeeperError extends Error {
  override readonly name: string = 'ZooKeeperError';
  /** The name of the result: "NONODE". A number without a name is SYSTEMERROR. */
  readonly code: ErrorName;
  /** ZooKeeper's number: -101. */
  readonly number: number;
  readonly path: string | undefined;
  /**
   * The length of a lost request, if it exceeds the default jute.maxbuffer. A server whose limit it
   * exceeds closes the connection without a reply.
   */
  readonly oversizeBytes: number | undefined;
  /**
   * The length of the reply, if it exceeds the maxFrameLength of the client, which then closes the
   * connection. A repeated request would lose the next connection, too.
   */
  readonly oversizeReplyBytes: number | undefined;
  /**
   * Whether the request may have reached a server that did not answer: a write may have happened.
   * False if a server refused it or if it was never sent: it is safe to repeat it then.
   */
  readonly hasUnknownOutcome: boolean;

  constructor(number: number, path?: string, options: ErrorDetails = {}) {
    const place = path === undefined ? '' : ` for ${path}`;
    const detail = options.detail === undefined ? '' : `: ${options.detail}`;
    super(`KeeperErrorCode = ${errorMessage(number)}${place}${detail}`, {
      cause: options.cause,
    });
    this.oversizeBytes = options.oversizeBytes;
    this.oversizeReplyBytes = options.oversizeReplyBytes;
    this.number = number;
    this.code = errorName(number) ?? 'SYSTEMERROR';
    this.path = path;
    this.hasUnknownOutcome = options.hasUnknownOutcome ?? WITHOUT_ANSWER.includes(number);
  }
}

/** Whether a request failed with this code, as "NONODE". */
export function isCode(error: unknown, code: ErrorName): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}

/** Whether the connection was lost, and a repeated request may get its reply. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof ZooKeeperError) || error.oversizeReplyBytes !== undefined) return false;
  return error.code === 'CONNECTIONLOSS';
}

/** The error of requests of a closed client. @param hasUnknownOutcome whether it was sent */
export function closedError(path: string | undefined, hasUnknownOutcome: boolean): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, {
    detail: 'the client is closed',
    hasUnknownOutcome,
  });
}

/** @param wasSent whether a server may have received the request */
export type MakeError = (path: string | undefined, wasSent: boolean) => ZooKeeperError;

export function endingErrors(code: number, cause: unknown): MakeError {
  if (code === ErrorCode.OK) return closedError;
  return (path, hasUnknownOutcome) => new ZooKeeperError(code, path, { cause, hasUnknownOutcome });
}

/** Why a request is impossible in this state, or undefined if it is possible. */
export function endOfSession(
  state: ClientState,
  path: string,
  cause?: Error,
): ZooKeeperError | undefined {
  if (state === 'closed') return closedError(path, true);
  if (state === 'expired') return new ZooKeeperError(ErrorCode.SESSIONEXPIRED, path, { cause });
  if (state === 'auth-failed') return new ZooKeeperError(ErrorCode.AUTHFAILED, path, { cause });
  return undefined;
}

export function timeoutError(path: string | undefined, wasSent: boolean): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.REQUESTTIMEOUT, path, { hasUnknownOutcome: wasSent });
}

/** A call whose AbortSignal was aborted; `cause` is the reason of the signal. */
export class RequestAbortedError extends Error {
  override readonly name = 'AbortError';
  readonly code = 'ABORT_ERR';
  readonly path: string | undefined;
  /** Whether the request had been sent: a write may have happened, or may still happen. */
  readonly hasUnknownOutcome: boolean;

  constructor(path: string | undefined, cause: unknown, hasUnknownOutcome: boolean) {
    const place = path === undefined ? '' : ` for ${path}`;
    const when = hasUnknownOutcome ? 'after it was sent' : 'before it was sent';
    super(`the request${place} was aborted ${when}`, { cause });
    this.path = path;
    this.hasUnknownOutcome = hasUnknownOutcome;
  }
}

/** A multi that was rolled back: the first failed operation, and the codes of all. */
export class MultiError extends ZooKeeperError {
  override readonly name = 'MultiError';
  /** Index of the failed operation. */
  readonly index: number;
  /** 0 before the failed operation, its error code, RUNTIMEINCONSISTENCY after it. */
  readonly results: readonly number[];

  constructor(results: readonly number[], paths: readonly string[]) {
    const index = results.findIndex((code) => code !== ErrorCode.OK);
    super(results[index] ?? ErrorCode.SYSTEMERROR, paths[index], {
      detail: `operation ${index + 1} of ${results.length} failed, so none was applied`,
    });
    this.index = index;
    this.results = results;
  }
}

/** No server of the list was reachable, with the reason for each. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code = 'ECONNECT';
  /** The last failure of each server. */
  readonly attempts: readonly { readonly server: string; readonly reason: string }[];

  constructor(
    message: string,
    attempts: readonly { readonly server: string; readonly reason: string }[] = [],
    cause?: unknown,
  ) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** A feature that a client lacks: the npm zookeeper client lacks some operations. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
  readonly code = 'EUNSUPPORTED';
}
