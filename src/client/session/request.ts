import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import type { Watcher } from '../base/client.js';
import { ZooKeeperError } from '../base/errors.js';
import type { WatchKind } from './watch-manager.js';

/** One kind of request: encodes its body, and decodes its reply. */
export interface Operation<A, R> {
  readonly code: number;
  /** The kind of watch that its watcher sets. */
  readonly watchKind?: WatchKind;
  /** The value of a NONODE reply that is an answer and not an error (exists). */
  readonly noNodeValue?: R;
  write(out: OutputArchive, args: A): void;
  /**
   * Reads the body of a successful reply; copies all that it keeps.
   * @throws ZooKeeperError when the body says that the operation failed (multi)
   */
  read(input: InputArchive, args: A): R;
}

/** A request in progress: one object shape, from the call to the reply. */
export class Request {
  readonly operation: Operation<unknown, unknown>;
  readonly args: unknown;
  /** The caller's path, for errors. */
  readonly path: string | undefined;
  /** The server path of the watch, once the reply confirms it. */
  readonly watchPath: string;
  readonly watcher: Watcher | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** 0 before it is written for a server. */
  xid = 0;
  /** The length of its frame, once it is sent. */
  bytes = 0;
  /** When the caller stops waiting, in ms of the session's clock. */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** The caller stopped waiting; the late reply is dropped. */
  isAbandoned = false;

  constructor(
    operation: Operation<unknown, unknown>,
    args: unknown,
    path: string | undefined,
    watchPath: string,
    watcher: Watcher | undefined,
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
  ) {
    this.operation = operation;
    this.args = args;
    this.path = path;
    this.watchPath = watchPath;
    this.watcher = watcher;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Whether a server may have it. */
  get wasSent(): boolean {
    return this.xid !== 0;
  }

  /** The caller stops waiting. A request on the wire keeps its place for the late reply. */
  giveUp(error: Error): void {
    this.isAbandoned = true;
    this.reject(error);
  }
}

/** The default limit of a server for one request. */
export const DEFAULT_MAX_BUFFER = 0xfffff;

/** The error of a request whose connection is gone: its outcome is unknown. */
export function lostError({ path, bytes }: Request, cause: Error): ZooKeeperError {
  const isOversize = bytes > DEFAULT_MAX_BUFFER;
  const limit = `the request of ${bytes} bytes exceeds jute.maxbuffer (default ${DEFAULT_MAX_BUFFER})`;
  const details = isOversize ? { oversizeBytes: bytes, detail: limit } : {};
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, { cause, ...details });
}

/** A request with the argument and result types of its operation. */
export function makeRequest<A, R>(
  operation: Operation<A, R>,
  args: A,
  path: string | undefined,
  resolve: (value: R) => void,
  reject: (error: Error) => void,
  watch?: { readonly path: string; readonly watcher: Watcher },
): Request {
  return new Request(
    operation,
    args,
    path,
    watch?.path ?? '',
    watch?.watcher,
    resolve as (value: unknown) => void,
    reject,
  );
}
