import type { OutputArchive } from '../../jute/output-archive.js';
import type { ErrorCode } from '../../protocol/error-code.js';

/** A read that may take several turns. Its connection serves no later request until it is done. */
export interface LongRead {
  readonly xid: number;
  readonly type: number;
  readonly startedMs: number;
  /** Of the request; see `pathOfRequest`. */
  path?: string | undefined;
  /** Yields often, so that the server can stop it for this turn. */
  readonly run: Generator<void, ErrorCode, undefined>;
  /** The body of the reply so far. Events of the connection may precede it. */
  readonly body: OutputArchive;
}
