import { ErrorCode, type ErrorName, errorMessage, errorName } from '../protocol/error-code.js';

/** The result of one operation, if not OK. `code` is ZooKeeper's name: "NONODE". */
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

/** The error of requests of a closed client: not sent, or of unknown outcome. */
export function closedError(path: string | undefined): ZooKeeperError {
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, { detail: 'the client is closed' });
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
