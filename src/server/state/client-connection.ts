import { FrameDecoder, type FrameHandler } from '../../jute/frame-decoder.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Id } from '../../protocol/data.js';
import { ConnectionStats } from '../metrics/connection-stats.js';
import type { SaslDigest } from '../session/sasl-digest.js';
import type { Session } from '../session/session-tracker.js';
import { MeasuredFifo } from './measured-fifo.js';
import type { Request } from './request.js';

/**
 * - `new`: the first four bytes decide between a word and a connect request
 * - `connecting`: a connect request is being answered; what is pipelined behind it waits
 * - `open`: requests are served
 * - `closed`: nothing is read or written any more
 */
export type ConnectionPhase = 'new' | 'connecting' | 'open' | 'closed';

export type ConnectionFrameHandler = (
  connection: ClientConnection,
  bytes: Buffer,
  start: number,
  end: number,
) => void;

/** A client's connection as the server knows it: no socket, but a number the driver knows it by. */
export class ClientConnection {
  readonly id: number;
  readonly remoteIp: string;
  readonly remotePort: number;
  /** Replies and events of this turn, sent as one write. */
  readonly out = new OutputArchive(512);
  readonly decoder: FrameDecoder;
  /** Writes in flight and the reads that wait behind them, in order of arrival. */
  readonly pending = new MeasuredFifo<Request>(({ size }) => size);
  /** Frames that came before the session was there. */
  readonly early = new MeasuredFifo<Buffer>(({ length }) => length);
  ids: Id[];
  session: Session | null = null;
  /** The exchange under way, once the client began one. */
  sasl: SaslDigest | null = null;
  phase: ConnectionPhase = 'new';
  /** True until the first four bytes have said whether this is a word or a client. */
  isUndecided = true;
  /** The first bytes, until there are enough of them. */
  opening: Buffer | null = null;
  /** When it was accepted, on the monotonic clock. */
  openedMs = 0;
  /** Old clients send, and want, no readOnly byte. */
  hasReadOnlyByte = true;
  isDirty = false;
  /** It waits among those with events to send. */
  isEventPending = false;
  readonly stats = new ConnectionStats();
  /** Of the server that it belongs to. */
  onFrame: ConnectionFrameHandler;

  constructor(
    id: number,
    remoteIp: string,
    remotePort: number,
    maxFrameLength: number,
    onFrame: ConnectionFrameHandler,
  ) {
    this.id = id;
    this.remoteIp = remoteIp;
    this.remotePort = remotePort;
    this.ids = [{ scheme: 'ip', id: remoteIp }];
    this.onFrame = onFrame;
    const handler: FrameHandler = (bytes, start, end) => this.onFrame(this, bytes, start, end);
    this.decoder = new FrameDecoder(maxFrameLength, handler);
  }
}
