/** Histories as data, and as text: one JSON object a line. FORMAT.md describes both. */

/** Numbers of a reply; the judge ignores omitted ones. */
export interface SeenStat {
  readonly czxid?: bigint;
  readonly mzxid?: bigint;
  readonly pzxid?: bigint;
  readonly version?: number;
}

export interface Arguments {
  readonly path?: string;
  readonly data?: string | null;
  /** -1 or omitted for any. */
  readonly version?: number;
  readonly ephemeral?: boolean;
  readonly sequential?: boolean;
  readonly watch?: boolean;
  /** The parts of a multi. */
  readonly ops?: readonly Part[];
  readonly lock?: string;
  readonly token?: number;
  /** The type of a watch event. */
  readonly type?: string;
}

/** One operation of a multi. */
export interface Part extends Arguments {
  readonly op: 'create' | 'delete' | 'setData' | 'check';
}

export interface Result {
  /** The path of a create, with the sequence number. */
  readonly path?: string;
  readonly data?: string | null;
  /** Null if exists found no znode. */
  readonly stat?: SeenStat | null;
  readonly children?: readonly string[];
  /** One result for each part of a multi. */
  readonly results?: readonly Result[];
  /** The index of the refused part of a failed multi. */
  readonly failed?: number;
  readonly token?: number;
  /** The znodes of `initial`. */
  readonly nodes?: readonly InitialNode[];
}

export interface InitialNode {
  readonly path: string;
  readonly data?: string | null;
  readonly stat?: SeenStat;
}

export type Kind = 'invoke' | 'ok' | 'fail' | 'info';

export type OpName =
  | Part['op']
  | 'multi'
  | 'getData'
  | 'exists'
  | 'getChildren'
  | 'sync'
  | 'closeSession'
  | 'acquire'
  | 'release'
  | 'event'
  | 'connected'
  | 'disconnected'
  | 'expired'
  | 'lockLost'
  | 'initial';

export interface HistoryEvent {
  /** Milliseconds, for human readers only: the order of the lines is the order of events. */
  readonly time: number;
  readonly process: string;
  readonly session: string;
  readonly kind: Kind;
  readonly op: OpName;
  /** The same for an invocation and its completion. */
  readonly id?: number;
  readonly args?: Arguments;
  readonly result?: Result;
  /** ZooKeeper's name of the error of `fail`. */
  readonly error?: string;
  /** From the header of the reply, or from the watch event. */
  readonly zxid?: bigint;
}

export type History = readonly HistoryEvent[];

const KINDS: ReadonlySet<string> = new Set<Kind>(['invoke', 'ok', 'fail', 'info']);
const IS_ZXID = /^(?:zxid|[cmp]zxid)$/;

export function formatHistory(history: History): string {
  return history.map((event) => `${formatEvent(event)}\n`).join('');
}

export function formatEvent(event: HistoryEvent): string {
  return JSON.stringify(event, (_key, value) =>
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  );
}

/** @throws SyntaxError that names the line */
export function parseHistory(text: string): HistoryEvent[] {
  const lines = text.split('\n');
  return lines.flatMap((line, i) => (line.trim() === '' ? [] : [parseEvent(line, i + 1)]));
}

function parseEvent(line: string, number: number): HistoryEvent {
  const refuse = (problem: string): never => {
    throw new SyntaxError(`line ${number}: ${problem}: ${line.slice(0, 80)}`);
  };
  let event: HistoryEvent;
  try {
    event = JSON.parse(line, (key, value) => (IS_ZXID.test(key) ? BigInt(value) : value));
  } catch {
    return refuse('not JSON');
  }
  if (typeof event !== 'object' || event === null) return refuse('not an object');
  if (!KINDS.has(event.kind)) return refuse('no kind (expected invoke, ok, fail or info)');
  if (typeof event.session !== 'string') return refuse('no session');
  if (typeof event.op !== 'string') return refuse('no op');
  if (event.kind !== 'info' && typeof event.id !== 'number') return refuse('no id');
  return event;
}
