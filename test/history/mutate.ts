/** Mutations that make a valid history impossible, one kind of violation each. */
import type { Random } from '../support/random.js';
import type { History, HistoryEvent, Kind, OpName } from './format.js';
import type { Verdict } from './verdict.js';

export interface Mutation {
  readonly name: string;
  /** The judge may report any of these properties. */
  readonly properties: readonly Verdict['property'][];
  /** Undefined if the history has no place for this mutation. */
  mutate(history: History, random: Random): Mutated | undefined;
}

export interface Mutated {
  readonly history: History;
  /** Words that the verdict must contain, to identify the operation. */
  readonly names: readonly string[];
}

type Found = readonly [at: number, event: HistoryEvent];

function find(history: History, kind: Kind, ops: readonly OpName[]): Found[] {
  const found = history.map((event, at): Found => [at, event]);
  return found.filter(([, event]) => event.kind === kind && ops.includes(event.op));
}

function replace(history: History, at: number, ...events: readonly HistoryEvent[]): HistoryEvent[] {
  return history.toSpliced(at, 1, ...events);
}

function argsOf(history: History, { id }: HistoryEvent): NonNullable<HistoryEvent['args']> {
  return history.find((event) => event.kind === 'invoke' && event.id === id)?.args ?? {};
}

function alter(
  name: string,
  properties: Mutation['properties'],
  ops: readonly OpName[],
  change: (event: HistoryEvent, history: History) => HistoryEvent | undefined,
): Mutation {
  const mutate = (history: History, random: Random): Mutated | undefined => {
    const usable = find(history, 'ok', ops).flatMap(([at, event]) => {
      const changed = change(event, history);
      return changed === undefined ? [] : [{ at, changed }];
    });
    if (usable.length === 0) return undefined;
    const { at, changed } = random.pick(usable);
    const path = argsOf(history, changed).path;
    const names = [changed.session, changed.op, ...(path === undefined ? [] : [path])];
    return { history: replace(history, at, changed), names };
  };
  return { name, properties, mutate };
}

/** The completions of two consecutive writes of one znode. */
function pairOfWrites(history: History, random: Random): [Found, Found] | undefined {
  const writes = find(history, 'ok', ['setData']);
  const pairs = writes.flatMap((first) => {
    const path = argsOf(history, first[1]).path;
    const second = writes.find(([at, event]) => {
      const invoked = history.findIndex(({ kind, id }) => kind === 'invoke' && id === event.id);
      return invoked > first[0] && at > first[0] && argsOf(history, event).path === path;
    });
    return second === undefined ? [] : [[first, second] as [Found, Found]];
  });
  return pairs.length === 0 ? undefined : random.pick(pairs);
}

/** Another znode whose next write, with an expected version, was invoked after this position. */
function countedAfter(history: History, at: number, but: string): string | undefined {
  const later = history.slice(at + 1).filter(({ kind }) => kind === 'invoke');
  const path = later.find(({ op, args }) => op === 'setData' && args?.path !== but)?.args?.path;
  const next = later.find(({ op, args }) => {
    const isWrite = op === 'setData' || op === 'create' || op === 'delete';
    return op === 'multi'
      ? args?.ops?.some((p) => p.path === path)
      : isWrite && args?.path === path;
  });
  const isDone = history.some(({ kind, id }) => kind === 'ok' && id === next?.id);
  return next?.op === 'setData' && isDone ? path : undefined;
}

const ENDS: ReadonlySet<OpName> = new Set(['closeSession', 'disconnected', 'expired', 'lockLost']);
const SEARCHED = ['linearizability', 'zxid-order'] as const;

export const MUTATIONS: readonly Mutation[] = [
  alter('a write made a later version', SEARCHED, ['setData'], (event) => {
    const { stat } = event.result ?? {};
    if (stat?.version === undefined) return undefined;
    return { ...event, result: { ...event.result, stat: { ...stat, version: stat.version + 7 } } };
  }),
  alter('a read of a value nobody wrote', ['read', 'linearizability'], ['getData'], (event) => {
    return { ...event, result: { ...event.result, data: 'ghost' } };
  }),
  alter('a read at another mzxid', ['read', 'linearizability'], ['getData'], (event) => {
    const stat = { ...event.result?.stat, mzxid: 0x1fn };
    return event.result?.stat?.mzxid === 0x1fn
      ? undefined
      : { ...event, result: { ...event.result, stat } };
  }),
  alter(
    'a znode that is absent',
    ['read', 'session-order', 'linearizability'],
    ['exists'],
    (event) => {
      return event.result?.stat === null ? undefined : { ...event, result: { stat: null } };
    },
  ),
  alter('a child that nobody made', ['read'], ['getChildren'], (event) => {
    const children = [...(event.result?.children ?? []), 'ghost'];
    return { ...event, result: { children } };
  }),
  alter('a child that is left out', ['read', 'session-order'], ['getChildren'], (event) => {
    const [, ...children] = event.result?.children ?? [];
    const isAny = (event.result?.children ?? []).length > 0;
    return isAny ? { ...event, result: { children } } : undefined;
  }),
  alter('a reply from the past', ['session-order', 'zxid-order'], ['setData'], (event) => {
    return event.zxid === undefined || event.zxid < 0x100000010n
      ? undefined
      : { ...event, zxid: 2n };
  }),
  alter('a token that does not grow', ['lock'], ['acquire'], (event, history) => {
    // Only holds that were not given up before the grant.
    const relied = find(history, 'ok', ['acquire']).filter(([at, { result }]) => {
      return history.slice(at).some(({ op, args }) => {
        return op === 'release' && args?.token === result?.token;
      });
    });
    const [first, ...later] = relied.map(([, one]) => one);
    return later.includes(event) ? { ...event, result: { ...first?.result } } : undefined;
  }),
  alter(
    'a sequence number twice',
    ['sequence', 'linearizability'],
    ['create'],
    (event, history) => {
      const { path = '' } = event.result ?? {};
      if (!path.startsWith('/q/') || path.endsWith('0000')) return undefined;
      const all = find(history, 'ok', ['create']).map(([, { result }]) => result?.path ?? '');
      const other = all.find((found) => found.startsWith('/q/') && found !== path);
      return other === undefined ? undefined : { ...event, result: { path: other } };
    },
  ),
  {
    name: 'a multi that was applied in part',
    properties: [...SEARCHED, 'read'],
    // A write of one znode becomes a write of two.
    mutate: (history, random) => {
      const usable = find(history, 'ok', ['setData']).flatMap(([at, event]) => {
        const other = countedAfter(history, at, argsOf(history, event).path ?? '/');
        return other === undefined ? [] : [{ at, event, other }];
      });
      if (usable.length === 0) return undefined;
      const { at, event, other } = random.pick(usable);
      const began = history.findIndex(({ kind, id }) => kind === 'invoke' && id === event.id);
      const asked = history[began] as HistoryEvent;
      const half = { ...asked.args, op: 'setData' as const };
      const ops = [half, { op: 'setData' as const, path: other, data: 'ghost' }];
      const results = [event.result ?? {}, {}];
      const changed = replace(history, began, { ...asked, op: 'multi', args: { ops } });
      const end: HistoryEvent = { ...event, op: 'multi', result: { results } };
      // Both znodes are searched together, so the verdict may name any of their writes.
      return { history: replace(changed, at, end), names: [] };
    },
  },
  {
    name: 'a refused multi of which a part was applied',
    properties: [...SEARCHED, 'read'],
    mutate: (history, random) => {
      const seen = new Set(
        find(history, 'ok', ['getData']).map(([, event]) => {
          return `${argsOf(history, event).path} ${event.result?.data}`;
        }),
      );
      const usable = find(history, 'ok', ['multi']).filter(([, event]) => {
        const { ops = [] } = argsOf(history, event);
        return ops.some(({ op, path, data }) => op !== 'delete' && seen.has(`${path} ${data}`));
      });
      if (usable.length === 0) return undefined;
      const [at, event] = random.pick(usable);
      const { result: _, zxid: __, ...rest } = event;
      const end: HistoryEvent = { ...rest, kind: 'fail', error: 'REFUSED' };
      return { history: replace(history, at, end), names: [] };
    },
  },
  {
    name: 'two writes whose answers are swapped',
    properties: [...SEARCHED, 'session-order', 'read'],
    mutate: (history, random) => {
      const [first, second] = pairOfWrites(history, random) ?? [];
      if (first === undefined || second === undefined) return undefined;
      const { result: a = {}, zxid: az = 0n } = first[1];
      const { result: b = {}, zxid: bz = 0n } = second[1];
      const once = replace(history, first[0], { ...first[1], result: b, zxid: bz });
      const swapped = replace(once, second[0], { ...second[1], result: a, zxid: az });
      return { history: swapped, names: [argsOf(history, first[1]).path ?? '/'] };
    },
  },
  {
    name: 'a dropped write that was read',
    properties: [...SEARCHED, 'read'],
    mutate: (history, random) => {
      const seen = new Set(find(history, 'ok', ['getData']).map(([, { result }]) => result?.data));
      const writes = find(history, 'ok', ['setData']).filter(([, event]) => {
        return seen.has(argsOf(history, event).data);
      });
      if (writes.length === 0) return undefined;
      const [, event] = random.pick(writes);
      const { path = '/' } = argsOf(history, event);
      return { history: history.filter(({ id }) => id !== event.id), names: [path] };
    },
  },
  {
    name: 'an event that came twice',
    properties: ['watch'],
    mutate: (history, random) => {
      const events = find(history, 'info', ['event']);
      if (events.length === 0) return undefined;
      const [at, event] = random.pick(events);
      const names = [event.session, event.args?.path ?? ''];
      return { history: replace(history, at, event, event), names };
    },
  },
  {
    name: 'an event that was lost',
    properties: ['watch'],
    mutate: (history, random) => {
      // The reply after the event is newer than the change.
      const events = find(history, 'info', ['event']).filter(([at, event]) => {
        const next = history
          .slice(at + 1)
          .find(({ op, kind }) => op !== 'event' && kind !== 'invoke');
        return next?.session === event.session && next.zxid !== undefined;
      });
      if (events.length === 0) return undefined;
      const [at, event] = random.pick(events);
      return { history: replace(history, at), names: [event.session, event.args?.path ?? ''] };
    },
  },
  {
    name: 'an answer that came twice',
    properties: ['format'],
    mutate: (history, random) => {
      const [at, event] = random.pick(find(history, 'ok', ['setData', 'getData']));
      return { history: replace(history, at, event, event), names: [event.session, event.op] };
    },
  },
  {
    name: 'a release without a request',
    properties: ['lock'],
    mutate: (history, random) => {
      const acquired = find(history, 'ok', ['acquire']);
      const released = find(history, 'invoke', ['release']).filter(([at, { args, session }]) => {
        const [heldAt = at, hold] =
          acquired.find(([, { result }]) => result?.token === args?.token) ?? [];
        const next = acquired.find(([later, event]) => {
          return later > at && argsOf(history, event).lock === args?.lock;
        });
        if (hold === undefined || next === undefined || heldAt >= at) return false;
        const began = history.findIndex(({ id }) => id === hold.id);
        // No other mark may end the hold.
        return !history.slice(began, next[0]).some((between) => {
          return between.session === session && ENDS.has(between.op);
        });
      });
      if (released.length === 0) return undefined;
      const [, { args, session }] = random.pick(released);
      const rest = history.filter(({ id }) => {
        const asked = argsOf(history, { id } as HistoryEvent);
        return id === undefined || asked.token === undefined || asked.token !== args?.token;
      });
      return { history: rest, names: [session, 'acquire'] };
    },
  },
];
