import { Fifo } from '../../base/fifo.js';
import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode, Xid } from '../../protocol/op-code.js';
import { WatcherType } from '../../protocol/watch-event.js';
import { type MakeError, TimeoutError, ZooKeeperError } from '../base/errors.js';
import type { ClientWatches, WatchKind } from './client-watches.js';
import { removeWatches } from './operations.js';
import { makeRequest, type Request } from './request.js';

const LARGEST_XID = 0x7fff_ffff;

const REMOVED_AS: Readonly<Record<WatchKind, WatcherType>> = {
  data: WatcherType.Data,
  exists: WatcherType.Data,
  child: WatcherType.Children,
  persistent: WatcherType.Persistent,
  recursive: WatcherType.PersistentRecursive,
};

const ignore = (): void => undefined;

/** Requests that wait or are on the wire. A reply out of order breaks the connection. */
export class RequestPipeline {
  private readonly out: OutputArchive;
  private readonly watches: ClientWatches;
  private readonly sent = new Fifo<Request>();
  private readonly waiting = new Fifo<Request>();
  private lastXid = 0;
  /** Number of abandoned requests at the head of `sent`. */
  private abandoned = 0;

  constructor(out: OutputArchive, watches: ClientWatches) {
    this.out = out;
    this.watches = watches;
  }

  get nextDeadlineMs(): number {
    return Math.min(
      this.sent.at(this.abandoned)?.deadlineMs ?? Number.POSITIVE_INFINITY,
      this.waiting.peek()?.deadlineMs ?? Number.POSITIVE_INFINITY,
    );
  }

  wait(request: Request): void {
    this.waiting.push(request);
  }

  /** On a new connection: the requests for its watches, then those that wait. */
  resume(watches: Iterable<Request>): void {
    for (const request of watches) this.sendAs(request, Xid.setWatches);
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      if (!next.isAbandoned) this.send(next);
    }
  }

  send(request: Request): void {
    const xid = this.lastXid === LARGEST_XID ? 1 : this.lastXid + 1;
    if (this.sendAs(request, xid)) this.lastXid = xid;
  }

  /** Sends a request with a reserved xid. @returns false if it cannot be encoded, and rejects it */
  private sendAs(request: Request, xid: number): boolean {
    const { out } = this;
    const at = out.skip(4);
    out.writeInt(xid);
    out.writeInt(request.operation.code);
    try {
      request.operation.write(out, request.args);
    } catch (error) {
      out.truncate(at);
      request.reject(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
    request.bytes = out.length - at - 4;
    out.patchInt(at, request.bytes);
    request.xid = xid;
    this.sent.push(request);
    return true;
  }

  ping(): void {
    this.out.writeInt(8);
    this.out.writeInt(Xid.ping);
    this.out.writeInt(OpCode.ping);
  }

  /** @throws JuteError if it is not the reply to the oldest request, which stays on the wire */
  settle(xid: number, err: number, input: InputArchive): void {
    const request = this.sent.peek();
    if (request === undefined || request.xid !== xid) {
      const expected = request === undefined ? 'no reply' : `the reply to xid ${request.xid}`;
      throw new JuteError(`expected ${expected}, found one to xid ${xid}`);
    }
    const { operation } = request;
    const isNoNodeValue = err === ErrorCode.NONODE && operation.noNodeValue !== undefined;
    let value: unknown = operation.noNodeValue;
    let failure: ZooKeeperError | undefined;
    if (err === ErrorCode.OK) {
      try {
        value = operation.read(input, request.args);
      } catch (error) {
        if (!(error instanceof ZooKeeperError)) throw error;
        failure = error;
      }
    } else if (!isNoNodeValue) {
      failure = failureOf(request, err, input);
    }
    this.sent.shift();
    if (this.abandoned > 0) this.abandoned--;
    if (request.isAbandoned) {
      const { watchKind } = request.operation;
      if (watchKind === undefined || request.watcher === undefined || failure !== undefined) return;
      this.dropWatch(request.watchPath, REMOVED_AS[watchKind]);
      return;
    }
    if (failure !== undefined) {
      request.reject(failure);
      return;
    }
    if (request.watcher !== undefined) this.arm(request, isNoNodeValue);
    request.resolve(value);
  }

  /**
   * Rejects requests that waited too long: the oldest, because all have the same timeout. A request
   * on the wire keeps its place, because its reply may still arrive.
   */
  expire(nowMs: number): void {
    for (;;) {
      const request = this.sent.at(this.abandoned);
      if (request === undefined || !isOver(request, nowMs)) break;
      this.abandoned++;
      timeOut(request);
    }
    for (;;) {
      const request = this.waiting.peek();
      if (request === undefined || !isOver(request, nowMs)) break;
      this.waiting.shift();
      timeOut(request);
    }
  }

  /** The oldest request on the wire: the next reply is for it. */
  get oldest(): Request | undefined {
    return this.sent.peek();
  }

  takeSent(): readonly Request[] {
    this.abandoned = 0;
    return this.sent.drain().filter((request) => !request.isAbandoned);
  }

  /** At the end of the session: only writes have an outcome. */
  failAll(error: MakeError): void {
    for (const { path, operation, reject } of this.takeSent()) {
      reject(error(path, operation.isWrite === true));
    }
    for (const { path, reject, isAbandoned } of this.waiting.drain()) {
      if (!isAbandoned) reject(error(path, false));
    }
  }

  /**
   * Removes the watch of a server that keeps one watch for all watchers of a path, unless one of
   * them is left, or a request on its way adds one.
   */
  dropWatch(path: string, type: WatcherType): void {
    const { watches } = this;
    if (watches.watchersOf(path, type).size > 0 || this.willWatch(path)) return;
    // Servers before 3.9 do not know the types of persistent watches.
    const isLast = watches.watchersOf(path, WatcherType.Any).size === 0;
    const args = { path, type: isLast ? WatcherType.Any : type, removed: ignore };
    this.send(makeRequest(removeWatches, args, undefined, ignore, ignore));
  }

  private willWatch(path: string): boolean {
    const isWatching = ({ watcher, watchPath, isAbandoned }: Request): boolean =>
      watcher !== undefined && watchPath === path && !isAbandoned;
    for (const request of this.sent.values()) if (isWatching(request)) return true;
    for (const request of this.waiting.values()) if (isWatching(request)) return true;
    return false;
  }

  private arm(request: Request, isAbsent: boolean): void {
    const { watchKind } = request.operation;
    if (watchKind === undefined || request.watcher === undefined) return;
    // On an existing znode, exists sets a data watch: register it as one for a reconnect.
    const kind = watchKind === 'exists' && !isAbsent ? 'data' : watchKind;
    this.watches.add(kind, request.watchPath, request.watcher);
  }
}

function isOver(request: Request, nowMs: number): boolean {
  return request.isAbandoned || request.deadlineMs <= nowMs;
}

function timeOut(request: Request): void {
  if (request.isAbandoned) return;
  const { path, wasSent: hasUnknownOutcome } = request;
  request.giveUp(new TimeoutError(path, { hasUnknownOutcome }));
}

/** Our server appends its jute.maxbuffer, an int, to the answer to a request that exceeds it. */
function failureOf({ path, bytes }: Request, err: number, input: InputArchive): ZooKeeperError {
  if (err !== ErrorCode.BADARGUMENTS || input.end - input.at < 4) {
    return new ZooKeeperError(err, path);
  }
  const limit = `the server's jute.maxbuffer of ${input.readInt()}`;
  const detail = `the request of ${bytes} bytes exceeds ${limit}`;
  return new ZooKeeperError(err, path, { oversizeBytes: bytes, detail });
}
