/**
 * The path of a write between its client's connection and its commit. A standalone server and a
 * leader decide it themselves (primary.ts); a learner asks its leader (learner-pipeline.ts). The
 * server in front, server.ts, handles connections, sessions and reads, and knows no details of
 * either.
 */
import type { InputArchive } from '../../jute/input-archive.js';
import type { Effect } from '../effects.js';
import type { SnapshotContent } from '../persistence/snapshot-content.js';
import type { Session } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { Request } from '../state/request.js';

export interface WritePipeline {
  /** Writes and syncs under way. */
  readonly inProcess: number;
  /** Takes a write with the body in `input`. */
  submit(request: Request, session: Session, input: InputArchive): void;
  /** Whether this sync must wait. If so, `PathHost.synced` ends the wait. */
  sync(request: Request): boolean;
  openSession(connection: ClientConnection, timeoutMs: number): void;
  /**
   * A client has shown the password of the session to resume. `PathHost.attach` or
   * `PathHost.expired` answers.
   */
  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void;
  closeSession(session: Session, connection: ClientConnection, xid: number): void;
  /** Everything up to `zxid` is durable here. */
  durable(zxid: bigint): void;
  /** The clock advanced. */
  tick(): void;
  /** Adds this turn's effects for the disk and for other servers. */
  drainInto(effects: Effect[]): void;
}

/** The path of a member of an ensemble. */
export interface EnsemblePipeline extends WritePipeline {
  /** Creates the session, local until now, in the ensemble before any later request. */
  upgrade(session: Session): void;
}

/** The services that a path gets from the server in front of it. */
export interface PipelineHost {
  /** Queues the request among the unanswered ones of its connection. */
  keep(request: Request): void;
  /** Applies the request's txn, and answers it and the reads after it. */
  commit(request: Request): void;
  synced(request: Request): void;
  /** The pipeline has room again. */
  released(): void;
  /** Opens the new session on the connection. */
  open(connection: ClientConnection, session: Session): void;
  attach(connection: ClientConnection, session: Session, timeoutMs: number): void;
  expired(connection: ClientConnection): void;
  /** Closes the connection without an answer. */
  drop(connection: ClientConnection): void;
  emit(effect: Effect): void;
  snapshotContent(): SnapshotContent;
}
