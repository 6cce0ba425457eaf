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
  /** The read in progress, for which later requests wait; null for none, and once it is closed. */
  longRead: LongRead | null = null;
  /** A read waits for all writes before it, so nothing later is read. */
  isDeferred = false;
  /** Steps of work in this turn; 0 at its end. */
  steps = 0;
  /** It sent much at once, or had more work than its share, and was not served to the end since. */
  isBusy = false;
  /** The ids of the client; an auth makes a new list, because requests keep theirs. */
  ids: Id[];
  /** Its client has asked which features of ClickHouse Keeper are announced. */
  isOfKeeper = false;
  /** Set when it is accepted. */
  isOverTls = false;
  /** Its session once it is open; it stays after a close. */
  session: Session | null = null;
  /** The SASL exchange in progress; null before and after. */
  sasl: SaslExchange | null = null;
  /** It only moves forward, from `new` to `closed`. */
  phase: ConnectionPhase = 'new';
  /** The first four bytes have not come yet. */
  isUndecided = true;
  /** The first bytes while there are too few of them. */
  opening: Buffer | null = null;
  /** When it was accepted, on the monotonic clock. */
  openedMs = 0;
  /** Old clients neither send nor expect a readOnly byte. */
  hasReadOnlyByte = true;
  /** The rest of a long answer to a word. */
  slices: Iterator<string> | null = null;
  /** It is in the list of connections whose output leaves at the end of this turn. */
  isDirty = false;
  /** It has events to send, which may wait for a later turn. */
  isEventPending = false;
  /** The bytes of events in `out`. */
  eventBytes = 0;
  /** An event was dropped, so nothing more may be sent. */
  isOverfull = false;
  readonly stats = new ConnectionStats();
  /** Serves its frames; the server that takes it over sets its own. */
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
