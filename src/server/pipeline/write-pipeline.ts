/**
 * The way of a write between its client's connection and its commit. A standalone server and a
 * leader decide it themselves (primary.ts), a learner has it decided by its leader
 * (learner-pipeline.ts). The server in front, server.ts, knows connections, sessions and reads, and
 * nothing of either.
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
  /** A write whose body is in `input`. */
  submit(request: Request, session: Session, input: InputArchive): void;
  /** Must this sync wait? If so `PathHost.synced` says when it need not any more. */
  sync(request: Request): boolean;
  openSession(connection: ClientConnection, timeoutMs: number): void;
  /**
   * A client has shown the password of a session it comes back to.
   * `PathHost.attach` or `PathHost.expired` answers.
   */
  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void;
  closeSession(session: Session, connection: ClientConnection, xid: number): void;
  /** Everything up to `zxid` is durable here. */
  durable(zxid: bigint): void;
  /** The clock moved on. */
  tick(): void;
  /** What this turn leaves for the disk and for other servers. */
  drainInto(effects: Effect[]): void;
}

/** The path of a server that serves with others. */
export interface EnsemblePipeline extends WritePipeline {
  /** Has the session, until now this server's own, created ahead of all that is asked next. */
  upgrade(session: Session): void;
}

/** What a path asks of the server in front of it. */
export interface PipelineHost {
  /** The request has its place among those of its connection that are not yet answered. */
  keep(request: Request): void;
  /** Applies the request's txn and answers whoever waits for it, and the reads behind it. */
  commit(request: Request): void;
  synced(request: Request): void;
  /** There is room in the pipeline again. */
  released(): void;
  /** The session is new, and the connection's. */
  open(connection: ClientConnection, session: Session): void;
  attach(connection: ClientConnection, session: Session, timeoutMs: number): void;
  expired(connection: ClientConnection): void;
  /** Closes it without an answer. */
  drop(connection: ClientConnection): void;
  emit(effect: Effect): void;
  snapshotContent(): SnapshotContent;
}
