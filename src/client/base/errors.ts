import { brand } from '../../base/brand.js';
import { ErrorCode, type ErrorName, errorMessage, errorName } from '../../protocol/error-code.js';
import type { ClientState } from './client.js';

/** Details of the error of a request besides its code. */
export interface ErrorDetails {
  /** The error below this one. */
  readonly cause?: unknown;
  /** A sentence after the code and the path. */
  readonly detail?: string;
  /** Instead of the code, the path, and the detail. */
  readonly message?: string;
  /** Length of a request above jute.maxbuffer: the server's, or the default for a lost one. */
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

function placeOf(path: string | undefined): string {
  return path === undefined ? '' : ` for ${path}`;
}

/** ETIMEDOUT is the code of a TimeoutError, ECLOSED of a ClosedError. */
export type ZooKeeperErrorCode = ErrorName | 'ETIMEDOUT' | 'ECLOSED';

/** Why a request, or a wait of a recipe, failed. `code` is ZooKeeper's name: "NONODE". */
export class ZooKeeperError extends Error {
  override readonly name: string = 'ZooKeeperError';
  /** The name of the result: "NONODE". A number without a name is SYSTEMERROR. */
  readonly code: ZooKeeperErrorCode;
  /** ZooKeeper's number: -101. */
  readonly number: number;
  readonly path: string | undefined;
  /**
   * The length of a request that exceeds jute.maxbuffer: that of the server, which refused it, or
   * the default, for a lost one. Apache's server closes the connection without a reply.
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
    const detail = options.detail === undefined ? '' : `: ${options.detail}`;
    super(
      options.message ?? `KeeperErrorCode = ${errorMessage(number)}${placeOf(path)}${detail}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.oversizeBytes = options.oversizeBytes;
    this.oversizeReplyBytes = options.oversizeReplyBytes;
    this.number = number;
    this.code = errorName(number) ?? 'SYSTEMERROR';
    this.path = path;
    this.hasUnknownOutcome = options.hasUnknownOutcome ?? WITHOUT_ANSWER.includes(number);
  }
}

/**
 * A call of a client that close() has ended, or that could not connect: see the cause. No later
 * call can succeed.
 */
export class ClosedError extends ZooKeeperError {
  override readonly name = 'ClosedError';
  override readonly code = 'ECLOSED';

  /** @param hasUnknownOutcome whether the request had been sent */
  constructor(path: string | undefined, hasUnknownOutcome: boolean, cause?: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    const message = `the client is closed: no request${placeOf(path)}${why}`;
    super(ErrorCode.CONNECTIONLOSS, path, { cause, message, hasUnknownOutcome });
  }
}

/** A call, or a wait of a recipe, that took longer than its limit allows. */
export class TimeoutError extends ZooKeeperError {
  override readonly name = 'TimeoutError';
  override readonly code = 'ETIMEDOUT';

  /** @param details `hasUnknownOutcome`: whether the request had been sent */
  constructor(path: string | undefined, details: ErrorDetails & { hasUnknownOutcome: boolean }) {
    const message = `the request${placeOf(path)} was not answered in time`;
    super(ErrorCode.REQUESTTIMEOUT, path, { message, ...details });
  }
}

/** Whether a request failed with this code, as "NONODE". */
export function isCode(error: unknown, code: ZooKeeperErrorCode): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}

/** Whether a request may have happened. */
export function hasUnknownOutcome(error: unknown): boolean {
  return error instanceof Error && 'hasUnknownOutcome' in error && error.hasUnknownOutcome === true;
}

/** The same error, for a call that knows more of its outcome than its last request. */
export function withOutcome(error: unknown, isUnknown: boolean): unknown {
  if (!(error instanceof Error && 'hasUnknownOutcome' in error)) return error;
  return Object.defineProperty(error, 'hasUnknownOutcome', { value: isUnknown, enumerable: true });
}

const LOSSES: readonly string[] = ['CONNECTIONLOSS', 'OPERATIONTIMEOUT', 'ETIMEDOUT'];

/** Whether no answer came, and a repeated request may get one. */
export function isLost(error: unknown): error is ZooKeeperError {
  if (!(error instanceof ZooKeeperError) || error.oversizeReplyBytes !== undefined) return false;
  return LOSSES.includes(error.code);
}

/** @param wasSent whether a server may have received the request */
export type MakeError = (path: string | undefined, wasSent: boolean) => ZooKeeperError;

export function endingErrors(code: number, cause: unknown): MakeError {
  return code === ErrorCode.OK
    ? (path, wasSent) => new ClosedError(path, wasSent, cause)
    : (path, hasUnknownOutcome) => new ZooKeeperError(code, path, { cause, hasUnknownOutcome });
}

/** Why a request is impossible in this state, or undefined if it is possible. */
export function endOfSession(
  state: ClientState,
  path: string,
  cause?: Error,
): ZooKeeperError | undefined {
  if (state === 'closed') return new ClosedError(path, false, cause);
  if (state === 'expired') return new ZooKeeperError(ErrorCode.SESSIONEXPIRED, path, { cause });
  if (state === 'auth-failed') return new ZooKeeperError(ErrorCode.AUTHFAILED, path, { cause });
  return undefined;
}

/** A call whose AbortSignal was aborted; `cause` is the reason of the signal. */
export class RequestAbortedError extends Error {
  override readonly name = 'AbortError';
  readonly code = 'ABORT_ERR';
  readonly path: string | undefined;
  /** Whether the request had been sent: a write may have happened, or may still happen. */
  readonly hasUnknownOutcome: boolean;

  constructor(path: string | undefined, cause: unknown, hasUnknownOutcome: boolean) {
    const when = hasUnknownOutcome ? 'after it was sent' : 'before it was sent';
    super(`the request${placeOf(path)} was aborted ${when}`, { cause });
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

/** The last failure of an address. */
export interface FailedAttempt {
  /** "host:port". */
  readonly server: string;
  /** For programs: "ECONNREFUSED", "ENOTFOUND", or the code of another error; ECLOSED for a server
   * that closed the connection. */
  readonly code: string;
  /** A sentence. */
  readonly reason: string;
}

/** No server of the list was reachable, with the reason for each. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code = 'ECONNECT';
  /** The last failure of each server. */
  readonly attempts: readonly FailedAttempt[];

  constructor(message: string, attempts: readonly FailedAttempt[] = [], cause?: unknown) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** A feature that a client lacks: the npm zookeeper client lacks some operations. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
  readonly code = 'EUNSUPPORTED';
}

brand(ZooKeeperError, 'ZooKeeperError');
brand(ClosedError, 'ClosedError');
brand(TimeoutError, 'TimeoutError');
brand(RequestAbortedError, 'RequestAbortedError');
brand(MultiError, 'MultiError');
brand(ConnectError, 'ConnectError');
brand(UnsupportedError, 'UnsupportedError');
