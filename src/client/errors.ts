import { ErrorCode, type ErrorName, errorMessage, errorName } from '../protocol/error-code.js';

/** A result other than OK, of one operation. `code` is ZooKeeper's name: "NONODE". */
export class ZooKeeperError extends Error {
  override readonly name: string = 'ZooKeeperError';
  readonly code: ErrorName;
  /** ZooKeeper's number: -101. */
  readonly number: number;
  readonly path: string | undefined;

  constructor(number: number, path?: string, options?: { cause?: unknown; detail?: string }) {
    const place = path === undefined ? '' : ` for ${path}`;
    const detail = options?.detail === undefined ? '' : `: ${options.detail}`;
    super(`KeeperErrorCode = ${errorMessage(number)}${place}${detail}`, {
      cause: options?.cause,
    });
    this.number = number;
    this.code = errorName(number) ?? 'SYSTEMERROR';
    this.path = path;
  }
}

/** What a request of a closed client fails with: it was not sent, or its outcome is unknown. */
export function closedError(path: string | undefined): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, { detail: 'the client is closed' });
}

/** A multi that was rolled back: the first operation that failed, and every operation's code. */
export class MultiError extends ZooKeeperError {
  override readonly name = 'MultiError';
  /** Index of the operation that failed. */
  readonly index: number;
  /** 0 for those before it, its own code, RUNTIMEINCONSISTENCY for those after it. */
  readonly results: readonly number[];

  constructor(results: readonly number[], paths: readonly string[]) {
    const index = results.findIndex((code) => code !== ErrorCode.OK);
    super(results[index] ?? ErrorCode.SYSTEMERROR, paths[index], {
      detail: `operation ${index + 1} of ${results.length} failed, none was done`,
    });
    this.index = index;
    this.results = results;
  }
}

/** No server of the list could be reached, and why each could not. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code = 'ECONNECT';
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

/** What a client cannot do at all: the npm zookeeper client lacks some operations. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
  readonly code = 'EUNSUPPORTED';
}
