import {
  type Arguments,
  formatHistory,
  type HistoryEvent,
  type InitialNode,
  type OpName,
  type Result,
} from './format.js';

/**
 * Records what clients do and see. All calls come from one process, so their order is the order of
 * events.
 */
export class HistoryRecorder {
  readonly history: HistoryEvent[] = [];
  private readonly open = new Map<number, HistoryEvent>();
  private lastId = 0;
  private readonly now: () => number;

  /** @param now milliseconds, for human readers */
  constructor(now: () => number = () => 0) {
    this.now = now;
  }

  /** Znodes that exist before the recording. */
  initial(nodes: readonly InitialNode[]): void {
    this.add({ process: '', session: '', kind: 'info', op: 'initial', result: { nodes } });
  }

  /** Call it just before the request is sent. Returns the id for its completion. */
  invoke(process: string, session: string, op: OpName, args: Arguments = {}): number {
    const id = ++this.lastId;
    this.open.set(id, this.add({ process, session, kind: 'invoke', id, op, args }));
    return id;
  }

  /** A reply without an error. `zxid` is from its header. */
  ok(id: number, result: Result = {}, zxid?: bigint): void {
    this.complete(id, { kind: 'ok', result, ...(zxid === undefined ? {} : { zxid }) });
  }

  /** A reply with an error: the request had no effect. */
  fail(id: number, error: string, zxid?: bigint, result: Result = {}): void {
    this.complete(id, { kind: 'fail', error, result, ...(zxid === undefined ? {} : { zxid }) });
  }

  /** No reply will come: the outcome is unknown. */
  unknown(id: number): void {
    this.complete(id, { kind: 'info' });
  }

  /** A watch event arrived. */
  event(process: string, session: string, type: string, path: string, zxid?: bigint): void {
    const args = { type, path };
    const known = zxid === undefined || zxid <= 0n ? {} : { zxid };
    this.add({ process, session, kind: 'info', op: 'event', args, ...known });
  }

  /** A change of the connection, session, or lock that the client observed. */
  mark(
    process: string,
    session: string,
    op: 'connected' | 'disconnected' | 'expired' | 'lockLost',
    args: Arguments = {},
  ): void {
    this.add({ process, session, kind: 'info', op, args });
  }

  toText(): string {
    return formatHistory(this.history);
  }

  private complete(id: number, end: Pick<HistoryEvent, 'kind' | 'result' | 'error' | 'zxid'>) {
    const began = this.open.get(id);
    if (began === undefined) throw new Error(`operation ${id} is not open`);
    this.open.delete(id);
    const { process, session, op } = began;
    this.add({ process, session, id, op, ...end });
  }

  private add(event: Omit<HistoryEvent, 'time'>): HistoryEvent {
    const timed = { time: this.now(), ...event };
    this.history.push(timed);
    return timed;
  }
}
