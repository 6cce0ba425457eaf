// Decodes the traffic of a connection for display. It shows the path of a request, but only the
// scheme of an authentication, never its credentials.
import { InputArchive } from '../../jute/input-archive.js';
import { checkFunction } from '../../protocol/check-argument.js';
import { type ErrorName, errorName } from '../../protocol/error-code.js';
import { OpCode, opCodeName, Xid } from '../../protocol/op-code.js';
import { OPERATION_TABLE } from '../../protocol/operation-table.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { eventTypeName } from '../../protocol/watch-event.js';
import { formatZxid } from '../../protocol/zxid.js';

/** What decodedTrace tells of. Paths are server paths, with the chroot. */
export type WireEvent =
  | {
      readonly kind: 'request';
      readonly op: string;
      readonly path?: string;
      readonly xid?: number;
      /** Length of the frame, with its length field. */
      readonly bytes: number;
      /** The address of the server; the scheme of an authentication. */
      readonly detail?: string;
    }
  | {
      readonly kind: 'answer';
      readonly op: string;
      readonly path?: string;
      readonly xid?: number;
      readonly zxid?: string;
      readonly error: ErrorName | 'OK';
      readonly bytes: number;
      /** Time since the request was written. */
      readonly ms?: number;
      /** The session id of a handshake. */
      readonly detail?: string;
    }
  | {
      readonly kind: 'event';
      readonly type: string;
      readonly path: string;
      readonly zxid: string;
      readonly bytes: number;
    }
  | { readonly kind: 'closed'; readonly reason?: string };

export interface Tracer {
  readonly isOn: boolean;
  tell(event: WireEvent): void;
}

/** Receives the traffic of each connection. */
export interface WireTap {
  /** A new connection begins; "host:port". */
  dialed(server: string): void;
  /** Whole frames. */
  sent(bytes: Buffer, nowMs: number): void;
  /** Bytes as they come, not whole frames. */
  received(chunk: Buffer, nowMs: number): void;
  /** The connection ended; undefined if the client ended it. */
  closed(fault: Error | undefined): void;
}

/**
 * Decodes the traffic of a client for its option `trace`: requests, answers with their times, and
 * events, without data and credentials.
 * @example
 * const trace = decodedTrace((event) => console.error(JSON.stringify(event)));
 * const client = createClient({ connectString: '127.0.0.1:2181', trace });
 */
export function decodedTrace(tell: (event: WireEvent) => void): () => WireTap {
  checkFunction('tell', tell);
  return () => new WireTrace({ isOn: true, tell });
}

interface Sent {
  readonly op: string;
  readonly path: string | undefined;
  readonly atMs: number;
}

/** Bytes of a frame to decode; a path is rarely longer. */
const HEAD_LENGTH = 4096;
const UNCOUNTED: Readonly<Record<number, string>> = {
  [Xid.ping]: 'ping',
  [Xid.auth]: 'auth',
  [Xid.setWatches]: 'setWatches',
};

export class WireTrace implements WireTap {
  private readonly tracer: Tracer;
  private readonly out = new FrameHeads();
  private readonly in = new FrameHeads();
  private readonly unanswered = new Map<number, Sent[]>();
  private server = '';
  private connectAtMs: number | undefined;
  private isFirstOut = true;
  private isFirstIn = true;

  constructor(tracer: Tracer) {
    this.tracer = tracer;
  }

  dialed(server: string): void {
    this.server = server;
    this.isFirstOut = true;
    this.isFirstIn = true;
    this.unanswered.clear();
    this.out.clear();
    this.in.clear();
  }

  sent(bytes: Buffer, nowMs: number): void {
    const { isOn } = this.tracer;
    this.out.feed(bytes, (head, length) => {
      const isHandshake = this.isFirstOut;
      this.isFirstOut = false;
      if (!isOn) return;
      if (isHandshake) {
        this.connectAtMs = nowMs;
        this.tell({ kind: 'request', op: 'connect', bytes: length, detail: this.server });
      } else this.tellRequest(head, length, nowMs);
    });
  }

  received(chunk: Buffer, nowMs: number): void {
    const { isOn } = this.tracer;
    this.in.feed(chunk, (head, length) => {
      const isHandshake = this.isFirstIn;
      this.isFirstIn = false;
      if (isHandshake) this.tellHandshake(head, length, nowMs, isOn);
      else this.tellReply(head, length, nowMs, isOn);
    });
  }

  closed(fault: Error | undefined): void {
    const reason = fault?.message;
    if (!this.tracer.isOn) return;
    this.tell({ kind: 'closed', ...(reason === undefined ? {} : { reason }) });
  }

  private tell(event: WireEvent): void {
    this.tracer.tell(event);
  }

  private tellRequest(head: Buffer, length: number, atMs: number): void {
    const input = new InputArchive(head);
    const xid = input.readInt();
    const code = input.readInt();
    const op = opCodeName(code);
    const path = beginsWithPath(code) ? readText(input) : undefined;
    const waiting = this.unanswered.get(xid);
    const sent = { op, path, atMs };
    if (waiting === undefined) this.unanswered.set(xid, [sent]);
    else waiting.push(sent);
    this.tell({
      kind: 'request',
      op,
      ...(path === undefined ? {} : { path }),
      ...(xid > 0 ? { xid } : {}),
      bytes: length,
      ...(code === OpCode.auth ? { detail: schemeOf(input) } : {}),
    });
  }

  private tellHandshake(head: Buffer, length: number, nowMs: number, isOn: boolean): void {
    const atMs = this.connectAtMs;
    this.connectAtMs = undefined;
    if (!isOn) return;
    const input = new InputArchive(head);
    input.readInt();
    const timeoutMs = input.readInt();
    const session = formatSessionId(input.readLong());
    const isExpired = timeoutMs <= 0;
    this.tell({
      kind: 'answer',
      op: 'connect',
      error: isExpired ? 'SESSIONEXPIRED' : 'OK',
      bytes: length,
      ...(atMs === undefined ? {} : { ms: nowMs - atMs }),
      ...(isExpired ? {} : { detail: `session ${session}, timeout ${timeoutMs} ms` }),
    });
  }

  private tellReply(head: Buffer, length: number, nowMs: number, isOn: boolean): void {
    const input = new InputArchive(head);
    const xid = input.readInt();
    const zxid = formatZxid(input.readLong());
    const code = input.readInt();
    if (xid === Xid.notification) {
      if (!isOn) return;
      const type = eventTypeName(input.readInt()) ?? 'None';
      input.readInt();
      this.tell({ kind: 'event', type, path: readText(input) ?? '', zxid, bytes: length });
      return;
    }
    const waiting = this.unanswered.get(xid);
    const sent = waiting?.shift();
    if (waiting?.length === 0) this.unanswered.delete(xid);
    if (!isOn) return;
    const path = sent?.path;
    this.tell({
      kind: 'answer',
      op: sent?.op ?? UNCOUNTED[xid] ?? '?',
      ...(path === undefined ? {} : { path }),
      ...(xid > 0 ? { xid } : {}),
      zxid,
      error: code === 0 ? 'OK' : (errorName(code) ?? 'SYSTEMERROR'),
      bytes: length,
      ...(sent === undefined ? {} : { ms: nowMs - sent.atMs }),
    });
  }
}

function beginsWithPath(code: number): boolean {
  const [first] = Object.keys(OPERATION_TABLE.get(code)?.request?.fields ?? {});
  return first === 'path' || first === 'prefixPath';
}

/** Undefined if the text is longer than the kept bytes. */
function readText(input: InputArchive): string | undefined {
  const length = input.readInt();
  if (length < 0 || length > input.remaining) return undefined;
  return input.bytes.toString('utf8', input.at, input.at + length);
}

/** Never decodes the credentials after the scheme. */
function schemeOf(input: InputArchive): string {
  input.readInt();
  return readText(input) ?? '';
}

/** Cuts a stream into frames, and keeps the head of each. */
class FrameHeads {
  private readonly head = Buffer.allocUnsafe(HEAD_LENGTH);
  private kept = 0;
  /** Length of the current frame; undefined until its length field is complete. */
  private length: number | undefined;
  private seen = 0;

  clear(): void {
    this.kept = 0;
    this.seen = 0;
    this.length = undefined;
  }

  feed(bytes: Buffer, end: (head: Buffer, length: number) => void): void {
    let at = 0;
    while (at < bytes.length) {
      const wanted = (this.length ?? 4) - this.seen;
      const taken = Math.min(wanted, bytes.length - at);
      const kept = Math.min(taken, HEAD_LENGTH - this.kept);
      bytes.copy(this.head, this.kept, at, at + kept);
      this.kept += kept;
      this.seen += taken;
      at += taken;
      if (taken < wanted) return;
      if (this.length === undefined) {
        this.length = this.head.readInt32BE(0);
        this.kept = 0;
        this.seen = 0;
        if (this.length > 0) continue;
      }
      const length = this.length;
      const head = this.head.subarray(0, this.kept);
      this.clear();
      if (length > 0) end(head, length + 4);
    }
  }
}
