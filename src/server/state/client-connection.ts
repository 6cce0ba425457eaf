import { FrameDecoder, type FrameHandler } from '../../jute/frame-decoder.js';
import { OutputArchive } from '../../jute/output-archive.js';
import type { Id } from '../../protocol/data.js';
import type { SaslExchange } from '../../protocol/sasl-step.js';
import { ConnectionStats } from '../metrics/connection-stats.js';
import type { Session } from '../session/session-tracker.js';
import type { LongRead } from './long-read.js';
import { MeasuredFifo } from './measured-fifo.js';
import type { Request } from './request.js';

/**
 * - `new`: the first four bytes decide between a word and a connect request
 * - `connecting`: a connect request is being answered; later requests wait
 * - `open`: requests are served
 * - `closed`: nothing is read or written anymore
 */
export type ConnectionPhase = 'new' | 'connecting' | 'open' | 'closed';

export type ConnectionFrameHandler = (
  connection: ClientConnection,
  bytes: Buffer,
  start: number,
  end: number,
) => void;

/** One function for all connections: servers have thousands. */
function sizeOf({ size }: Request): number {
  return size;
}

function lengthOf({ length }: Buffer): number {
  return length;
}

/** A client's connection; the driver maps its number to a socket. */
export class ClientConnection {
  readonly id: number;
  readonly remoteIp: string;
  readonly remotePort: number;
  /** Replies and events of this turn, sent in one write. */
  readonly out = new OutputArchive(512);
  readonly decoder: FrameDecoder;
  /** Writes in flight and the reads that wait for them, in order of arrival. */
  readonly pending = new MeasuredFifo<Request>(sizeOf);
  /** Frames that came before the session existed. */
  readonly early = new MeasuredFifo<Buffer>(lengthOf);
  /** Later requests wait for it; null for none. */
  longRead: LongRead | null = null;
  /** A read waits for all writes before it, so nothing later is read. */
  isDeferred = false;
  /** Steps of work in this turn. */
  steps = 0;
  /** It had more work than its share, and was not served to the end since. */
  isBusy = false;
  ids: Id[];
  isOverTls = false;
  session: Session | null = null;
  sasl: SaslExchange | null = null;
  phase: ConnectionPhase = 'new';
  isUndecided = true;
  /** The first bytes while there are too few of them. */
  opening: Buffer | null = null;
  /** On the monotonic clock. */
  openedMs = 0;
  /** Old clients neither send nor expect a readOnly byte. */
  hasReadOnlyByte = true;
  /** The rest of a long answer to a word. */
  slices: Iterator<string> | null = null;
  isDirty = false;
  isEventPending = false;
  readonly stats = new ConnectionStats();
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
