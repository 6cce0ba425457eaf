import type { ZooKeeperClient } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import type { Stat } from '../../protocol/data.js';
import { childPath, isWithin } from '../../protocol/path.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';

export interface Visit<T = undefined> {
  readonly path: string;
  /** 0 for the root of the walk. */
  readonly depth: number;
  readonly isLast: boolean;
  readonly stat?: Stat;
  readonly extra?: T;
  readonly error?: ZooKeeperError;
}

export interface WalkOptions<T> {
  readonly signal: AbortSignal;
  /** 0 visits only the root. */
  readonly maxDepth?: number;
  /** Visits only znodes after this path in walk order. */
  readonly after?: string;
  readonly inFlight?: number;
  pace?(requests: number): Promise<void>;
  /** Excludes a znode and its descendants. */
  isSkipped?(path: string): boolean;
  /** Reads more of each znode, together with its children. */
  read?(path: string): Promise<T>;
}

/** Enough to hide the latency of a busy server, few enough not to delay other clients. */
const READ_AHEAD = 256;

interface Pending<T> {
  readonly path: string;
  readonly depth: number;
  readonly isLast: boolean;
  answer: Promise<Answer<T>> | undefined;
}

type Answer<T> =
  | { readonly children: readonly string[]; readonly stat: Stat; readonly extra: T | undefined }
  | { readonly error: unknown };

/** Visits every znode from `root` down, without `read`; see walkTree. */
export function walk(
  client: ZooKeeperClient,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<Visit> {
  return walkTree(client, root, { signal });
}

/**
 * Visits parents before their children, and children by name. Skips deleted znodes, and visits an
 * unreadable one with its error. Memory grows only with the siblings on the path down.
 * @throws the error of reading the root, and any error that is not about one znode
 */
export async function* walkTree<T = undefined>(
  client: Pick<ZooKeeperClient, 'getChildren'>,
  root: string,
  options: WalkOptions<T>,
): AsyncGenerator<Visit<T>> {
  const { signal, after, inFlight = READ_AHEAD, maxDepth = Number.POSITIVE_INFINITY } = options;
  const ask = makeAsk(client, options, maxDepth);
  // A stack: the next znode is the last entry.
  const pending: Pending<T>[] = [{ path: root, depth: 0, isLast: true, answer: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (signal.aborted) return;
    const answer = await (next.answer ?? ask(next));
    const { path, depth, isLast } = next;
    const isWanted = after === undefined || compareWalk(path, after) > 0;
    if ('error' in answer) {
      const error = skippable(answer.error, path === root);
      if (error !== undefined && isWanted) yield { path, depth, isLast, error };
      continue;
    }
    pushChildren(pending, next, answer.children, options);
    readAhead(pending, ask, inFlight);
    const { stat, extra } = answer;
    if (isWanted) {
      yield { path, depth, isLast, stat, ...(extra === undefined ? {} : { extra }) };
    }
  }
}

/** Undefined for a deleted znode. @throws an error that ends the walk */
function skippable(error: unknown, isRoot: boolean): ZooKeeperError | undefined {
  if (!isAboutNode(error) || (isRoot && error.code === 'NONODE')) throw error;
  return error.code === 'NONODE' ? undefined : error;
}

function makeAsk<T>(
  client: Pick<ZooKeeperClient, 'getChildren'>,
  { read, pace }: WalkOptions<T>,
  maxDepth: number,
): (node: Pending<T>) => Promise<Answer<T>> {
  return async ({ path, depth }) => {
    try {
      if (pace !== undefined) await pace(read === undefined ? 1 : 2);
      const [listed, extra] = await Promise.all([client.getChildren(path), read?.(path)]);
      return { children: depth < maxDepth ? listed.children : [], stat: listed.stat, extra };
    } catch (error) {
      return { error };
    }
  };
}

function pushChildren<T>(
  pending: Pending<T>[],
  { path, depth }: Pending<T>,
  names: readonly string[],
  { after, isSkipped }: WalkOptions<T>,
): void {
  const sorted = [...names].sort(compareNames);
  for (let at = sorted.length - 1; at >= 0; at--) {
    const child = childPath(path, sorted[at] ?? '');
    // Descendants of the child also come before `after`, unless `after` is one of them.
    if (after !== undefined && compareWalk(child, after) < 0 && !isWithin(after, child)) return;
    if (isSkipped?.(child) === true) continue;
    const isLast = at === sorted.length - 1;
    pending.push({ path: child, depth: depth + 1, isLast, answer: undefined });
  }
}

function readAhead<T>(
  pending: readonly Pending<T>[],
  ask: (node: Pending<T>) => Promise<Answer<T>>,
  inFlight: number,
): void {
  for (let at = pending.length - 1; at >= 0 && at >= pending.length - inFlight; at--) {
    const entry = pending[at];
    if (entry !== undefined) entry.answer ??= ask(entry);
  }
}

export function compareWalk(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a.split('/'), b.split('/')];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const order = compareNames(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function isAboutNode(error: unknown): error is ZooKeeperError {
  return error instanceof ZooKeeperError && (error.code === 'NONODE' || error.code === 'NOAUTH');
}

/** By UTF-16 units, like Java's sort. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The error of a command that completed only a part; exit status 9. */
export function partialError(
  what: string,
  failures: readonly { readonly path: string; readonly error: unknown }[],
  count: number = failures.length,
): CommandError {
  const shown = failures.slice(0, 3).map(({ path, error }) => `${path} (${reasonOf(error)})`);
  const more = count > shown.length ? `, and ${count - shown.length} more` : '';
  return new CommandError(`${what}: ${shown.join(', ')}${more}`, {
    code: 'PARTIAL',
    exitCode: ExitCode.partial,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof ZooKeeperError) return error.code;
  return error instanceof Error ? error.message : String(error);
}
