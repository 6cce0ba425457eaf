import type { FrameTooLongError } from '../../jute/frame-decoder.js';
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import type { Watcher } from '../base/client.js';
import { ZooKeeperError } from '../base/errors.js';
import type { WatchKind } from './client-watches.js';

export interface Operation<A, R> {
  readonly code: number;
  /** Whether it may change something. */
  readonly isWrite?: true;
  readonly watchKind?: WatchKind;
  /** The value of a NONODE reply that is not an error (exists). */
  readonly noNodeValue?: R;
  write(out: OutputArchive, args: A): void;
  /** Copies bytes that it keeps. @throws ZooKeeperError if the body reports a failure (multi) */
  read(input: InputArchive, args: A): R;
}

/** A request in progress. All have one object shape, which keeps them fast. */
export class Request {
  readonly operation: Operation<unknown, unknown>;
  readonly args: unknown;
  readonly path: string | undefined;
  /** Server path to watch after a successful reply. */
  readonly watchPath: string;
  readonly watcher: Watcher | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** 0 until it is written. */
  xid = 0;
  bytes = 0;
  /** Time in ms of the session's clock. */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** The caller stopped waiting: drop the late reply. */
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

  /** Whether a server may have received it. */
  get wasSent(): boolean {
    return this.xid !== 0;
  }

  /** A request on the wire keeps its place for the late reply. */
  giveUp(error: Error): void {
    this.isAbandoned = true;
    this.reject(error);
  }
}

/** The default jute.maxbuffer of a server. */
export const DEFAULT_MAX_BUFFER = 0xfffff;

export function lostError({ path, bytes }: Request, cause: Error): ZooKeeperError {
  const isOversize = bytes > DEFAULT_MAX_BUFFER;
  const limit = `the request of ${bytes} bytes exceeds jute.maxbuffer (default ${DEFAULT_MAX_BUFFER})`;
  const details = isOversize ? { oversizeBytes: bytes, detail: limit } : {};
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, { cause, ...details });
}

export function replyTooLongError(
  { path, operation }: Request,
  { length }: FrameTooLongError,
  cause: Error,
): ZooKeeperError {
  const limit = "the client's option maxFrameLength (jute.maxbuffer of Apache's client)";
  return new ZooKeeperError(ErrorCode.CONNECTIONLOSS, path, {
    cause,
    oversizeReplyBytes: length,
    detail: `the reply of ${length} bytes exceeds ${limit}`,
    hasUnknownOutcome: operation.isWrite === true,
  });
}

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
