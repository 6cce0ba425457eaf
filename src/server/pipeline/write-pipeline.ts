/**
 * The path of a write between its client's connection and its commit. A standalone server and a
 * leader decide it (primary.ts); a learner asks its leader (learner-pipeline.ts). server.ts uses it
 * for connections, sessions, and reads, and must not depend on the kind.
 */
import type { InputArchive } from '../../jute/input-archive.js';
import type { Effect } from '../effects.js';
import type { SnapshotContent } from '../persistence/snapshot-content.js';
import type { Session } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { Request } from '../state/request.js';

export interface WritePipeline {
  readonly inProcess: number;
  /** The zxid of the last txn that was given to the log. */
  readonly lastLogged: bigint;
  submit(request: Request, session: Session, input: InputArchive): void;
  /** Whether this sync must wait; `PipelineHost.synced` ends the wait. */
  sync(request: Request): boolean;
  openSession(connection: ClientConnection, timeoutMs: number): void;
  /** Resumes a session after its password matched; calls `PipelineHost.attach` or `expired`. */
  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void;
  closeSession(session: Session, connection: ClientConnection, xid: number): void;
  /**
   * Everything up to `zxid` is on this disk: asserts that it was appended. Only a standalone server
   * commits then. In an ensemble, `Role.durable` gets the event `ack`, and calls this.
   */
  durable(zxid: bigint): void;
  tick(): void;
  drainInto(effects: Effect[]): void;
}

export interface EnsemblePipeline extends WritePipeline {
  /** Makes a local session an ensemble session, before any later request. */
  upgrade(session: Session): void;
}

/** What a pipeline asks of its server. */
export interface PipelineHost {
  /** Queues the request with the unanswered ones of its connection, which `commit` must answer. */
  keep(request: Request): void;
  /** Applies the request's txn, answers it, and answers the reads after it. */
  commit(request: Request): void;
  /** Ends the wait of a sync, which is answered in its turn. */
  synced(request: Request): void;
  /** Called after commits: requests are no longer in process, so others that wait may begin. */
  released(): void;
  /** Answers a connect request with a session that no txn opened. */
  open(connection: ClientConnection, session: Session): void;
  /** Answers a connect request that resumes a session; its connection before closes. */
  attach(connection: ClientConnection, session: Session, timeoutMs: number): void;
  /** Answers a connect request that the session is gone. */
  expired(connection: ClientConnection): void;
  /** Closes the connection without an answer. */
  drop(connection: ClientConnection): void;
  /** Before the append of this turn. */
  emit(effect: Effect): void;
  snapshotContent(): SnapshotContent;
}
