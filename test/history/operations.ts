import type {
  Arguments,
  History,
  HistoryEvent,
  InitialNode,
  OpName,
  Part,
  Result,
} from './format.js';
import type { Verdict } from './verdict.js';

/** An operation from its invocation to its completion. */
export interface Operation {
  readonly session: string;
  readonly name: OpName;
  readonly args: Arguments;
  /** Positions in the history; Infinity if the end is unknown. */
  readonly start: number;
  readonly end: number;
  readonly outcome: 'ok' | 'fail' | 'unknown';
  readonly result: Result;
  readonly error: string | undefined;
  readonly zxid: bigint | undefined;
}

/** A watch event, or a change of a session that its client observed. */
export interface Mark {
  readonly at: number;
  readonly event: HistoryEvent;
}

export interface Collected {
  /** In the order of their invocations. */
  readonly operations: readonly Operation[];
  readonly marks: readonly Mark[];
  readonly initial: readonly InitialNode[];
  readonly verdicts: readonly Verdict[];
}

export function collect(history: History): Collected {
  const operations: Operation[] = [];
  const marks: Mark[] = [];
  const initial: InitialNode[] = [];
  const verdicts: Verdict[] = [];
  const open = new Map<number, number>();
  const fault = (at: number, message: string): void => {
    verdicts.push({ property: 'format', message: `line ${at + 1}: ${message}`, lines: [at + 1] });
  };
  const end = (event: HistoryEvent, id: number, at: number): void => {
    const place = open.get(id) ?? -1;
    const began = operations[place];
    if (began === undefined) fault(at, `${event.op} of ${event.session} was not invoked`);
    else if (completed.has(id)) fault(at, `${describe(began)} completes twice`);
    else operations[place] = complete(began, event, at);
    completed.add(id);
  };
  const completed = new Set<number>();
  history.forEach((event, at) => {
    const { kind, id, op } = event;
    if (kind === 'invoke' && id !== undefined) {
      if (open.has(id)) fault(at, `operation ${id} is invoked twice`);
      open.set(id, operations.length);
      operations.push(begin(event, at));
    } else if (id !== undefined) {
      end(event, id, at);
    } else if (op === 'initial') {
      initial.push(...(event.result?.nodes ?? []));
    } else {
      marks.push({ at, event });
    }
  });
  return { operations, marks, initial, verdicts };
}

function begin(event: HistoryEvent, at: number): Operation {
  const { session, op: name, args = {} } = event;
  const open = { end: Infinity, outcome: 'unknown', result: {}, error: undefined } as const;
  return { session, name, args, start: at, zxid: undefined, ...open };
}

function complete(began: Operation, event: HistoryEvent, at: number): Operation {
  const { kind, result = {}, error, zxid } = event;
  if (kind === 'info') return began;
  const outcome = kind === 'ok' ? 'ok' : 'fail';
  return { ...began, end: at, outcome, result, error, zxid };
}

/** The parts of an operation, with the resulting path of a create. */
export function partsOf(operation: Operation): readonly Part[] {
  const { name, args, result } = operation;
  if (name === 'multi') {
    const results = result.results ?? [];
    return (args.ops ?? []).map((part, i) => resolvePath(part, results[i]));
  }
  if (name === 'create' || name === 'delete' || name === 'setData') {
    return [resolvePath({ op: name, ...args }, result)];
  }
  return [];
}

function resolvePath(part: Part, result: Result | undefined): Part {
  const isMade = part.op === 'create' && result?.path !== undefined;
  return isMade ? { ...part, path: result.path } : part;
}

export function isWrite({ name }: Operation): boolean {
  return name === 'create' || name === 'delete' || name === 'setData' || name === 'multi';
}

/** Whether it goes through the leader, after all earlier requests of its session. */
export function isOrdered(operation: Operation): boolean {
  return isWrite(operation) || operation.name === 'sync' || operation.name === 'closeSession';
}

/** For messages: client, request, outcome, and lines. */
export function describe(operation: Operation): string {
  const { session, start, end, outcome, error, zxid } = operation;
  const lines = end === Infinity ? `line ${start + 1}` : `lines ${start + 1}-${end + 1}`;
  const fate = { ok: describeResult(operation), fail: ` -> ${error}`, unknown: ' -> ?' }[outcome];
  const at = zxid === undefined ? '' : ` at 0x${zxid.toString(16)}`;
  return `${session} ${describeAsked(operation)}${fate}${at} (${lines})`;
}

function describeAsked({ name, args }: Operation): string {
  if (name === 'multi') {
    return `multi[${(args.ops ?? []).map(({ op, ...rest }) => describePart(op, rest)).join(', ')}]`;
  }
  return describePart(name, args);
}

function describePart(name: string, { path, data, version, lock, token }: Arguments): string {
  const words = [name, path, lock, token].filter((word) => word !== undefined);
  if (data !== undefined) words.push(JSON.stringify(data));
  if (version !== undefined && version !== -1) words.push(`if version ${version}`);
  return words.join(' ');
}

function describeResult({ name, args, result }: Operation): string {
  const { data, stat, path, children, token } = result;
  const words: string[] = [];
  if (stat === null) words.push('absent');
  if (name === 'create' && path !== undefined && path !== args.path) words.push(path);
  if (data !== undefined) words.push(JSON.stringify(data));
  if (stat?.version !== undefined) words.push(`version ${stat.version}`);
  if (stat?.mzxid !== undefined) words.push(`mzxid 0x${stat.mzxid.toString(16)}`);
  if (children !== undefined) words.push(`[${children.join(' ')}]`);
  if (token !== undefined) words.push(`token ${token}`);
  return words.length === 0 ? '' : ` -> ${words.join(' ')}`;
}
