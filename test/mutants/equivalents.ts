/**
 * Mutations that change nothing anyone can observe. Each names the compiled line, so it is void
 * once the line changes.
 */
interface Equivalent {
  /** Below src, compiled. */
  readonly path: string;
  readonly line: string;
  /** The mutations of the line that are equivalent. */
  readonly change: RegExp;
  readonly why: string;
}

const EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'server/node/storage/whole-snapshot.js',
    line: 'const isLarge = checking !== undefined && file.size >= checking.fromBytes;',
    change: /^>= to >$/,
    why: 'a snapshot of just that size is checked alike by this thread and by another one',
  },
  {
    path: 'files/snapshot-reader.js',
    line: 'if (dataEnd < 0 || end > window.end)',
    change: /^< to <=$/,
    why: 'the end of the data comes after the path, so it is never 0',
  },
  {
    path: 'server/quorum/leading/broadcast.js',
    line: 'isDue = false;',
    change: /^false to true$/,
    why: 'a round that nobody waits for is one more ping',
  },
  {
    path: 'server/quorum/leading/synchronizer.js',
    line: 'return size > (limits.maxRestBytes ?? MAX_REST) ? null : rest;',
    change: /^> to >=$/,
    why: 'a rest of just that size may come from memory or from the log',
  },
  {
    path: 'server/pipeline/watch-notifier.js',
    line: 'childWatches.trigger(path, false, (connection) => {',
    change: /^false to true$/,
    why: 'recursive watches, which alone differ, are among those of data',
  },
];

/** The reason why a mutation changes nothing, if one is known. */
export function whyEquivalent(path: string, line: string, change: string): string | undefined {
  const isOne = (one: Equivalent): boolean =>
    one.path === path && one.line === line && one.change.test(change);
  return EQUIVALENTS.find(isOne)?.why;
}
