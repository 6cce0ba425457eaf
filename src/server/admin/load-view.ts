import {
  LOAD_KINDS,
  type LoadFigures,
  type LoadKind,
  type LoadRow,
  type LoadView,
} from '../../fourlw/base/load-view.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { LIMITS } from '../limits/limits.js';
import { prefixesOf } from '../metrics/load.js';
import { userOf } from '../session/auth.js';
import type { ServerState } from '../state/server-state.js';

/** From this share of any figure on, a name is shown. */
const SHOWN_SHARE = 0.02;
const MAX_ROWS = 20;
/** Of each table of watches; of more, every second one counts twice, and so on. */
const WATCHED_PATHS = 4096;

/** Requests, bytes, and watches. */
type Figures = [requests: number, bytes: number, watches: number];
type ByName = Map<string, Figures>;

/** Rates of the last minute at most, and the watches of now. */
export function loadView(state: ServerState): LoadView {
  const { total, byKind, ms } = state.stats.metrics.load.counts(state.monotonicMs);
  const seconds = Math.max(1, ms / 1000);
  const rates = ({ requests, bytes }: { requests: number; bytes: number }): Figures => [
    requests / seconds,
    bytes / seconds,
    0,
  ];
  const watches = watchesOf(state);
  const all = rates(total);
  all[2] = state.dataWatches.size + state.childWatches.size;
  const rows = LOAD_KINDS.flatMap((by) => {
    const names: ByName = new Map();
    for (const [name, counts] of byKind[by]) names.set(name, rates(counts));
    for (const [name, count] of watches[by]) addWatches(names, name, count);
    return (by === 'path' ? heaviestPaths(names, all) : [...names])
      .filter(([, figures]) => shareOf(figures, all) >= SHOWN_SHARE)
      .sort(([, a], [, b]) => shareOf(b, all) - shareOf(a, all))
      .slice(0, MAX_ROWS)
      .map(([name, figures]): LoadRow => ({ by, name, ...shown(figures) }));
  });
  return { seconds: Math.round(seconds), total: shown(all), rows };
}

function shown([requests, bytes, watches]: Figures): LoadFigures {
  return {
    requestsPerSecond: Math.round(requests * 10) / 10,
    bytesPerSecond: Math.round(bytes),
    watches: Math.round(watches),
  };
}

/** The largest of its shares. */
function shareOf(figures: Figures, all: Figures): number {
  const shares = figures.map((figure, at) => figure / Math.max(all[at] ?? 0, Number.MIN_VALUE));
  return Math.max(...shares.map((share) => (Number.isFinite(share) ? share : 0)));
}

/** A path is left out if those below it explain its load. */
function heaviestPaths(names: ByName, all: Figures): [string, Figures][] {
  const rest = new Map(
    [...names].map(([path, figures]): [string, Figures] => [path, [...figures]]),
  );
  const deepestFirst = [...names].sort(([a], [b]) => depthOf(b) - depthOf(a));
  return deepestFirst.filter(([path, figures]) => {
    if (shareOf(rest.get(path) ?? figures, all) < SHOWN_SHARE) return false;
    for (const above of prefixesOf(path)) {
      const left = above === path ? undefined : rest.get(above);
      const own = rest.get(path) ?? figures;
      left?.forEach((figure, at) => {
        left[at] = figure - (own[at] ?? 0);
      });
    }
    return true;
  });
}

function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

function watchesOf(state: ServerState): Record<LoadKind, Map<string, number>> {
  const found = { path: new Map(), session: new Map(), address: new Map(), user: new Map() };
  const { dataWatches, childWatches } = state;
  for (const connection of state.connections.values()) {
    const count = dataWatches.countOf(connection) + childWatches.countOf(connection);
    if (count === 0) continue;
    addCount(found.session, formatSessionId(connection.session?.id ?? 0n), count);
    addCount(found.address, connection.remoteIp, count);
    addCount(found.user, userOf(connection.ids), count);
  }
  for (const table of [dataWatches, childWatches]) {
    for (const [path, count] of table.sample(WATCHED_PATHS)) {
      const cut = path.slice(0, LIMITS.shownNameLength.value);
      for (const prefix of prefixesOf(cut)) addCount(found.path, prefix, count);
    }
  }
  return found;
}

function addCount(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function addWatches(names: ByName, name: string, count: number): void {
  const figures = names.get(name);
  if (figures === undefined) names.set(name, [0, 0, count]);
  else figures[2] = count;
}
