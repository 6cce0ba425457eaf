import { checkFields, checkFunction, checkSignal } from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import { childPath, compareNames, compareWalk, isWithin } from '../../protocol/path.js';
import { throwIfAborted } from '../base/abort.js';
import type { ZooKeeperClient } from '../base/client.js';
import { hasUnknownOutcome, isCode, ZooKeeperError } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { PACE_CHECKS, type Pace, Pacer } from './pace.js';

/** A znode of `walkTree`: with its Stat, or with the error of its read. */
export interface Visit<T = undefined> {
  readonly path: string;
  /** 0 for the root of the walk. */
  readonly depth: number;
  /** No sibling comes after it. */
  readonly isLast: boolean;
  readonly stat?: Stat;
  readonly extra?: T;
  readonly error?: ZooKeeperError;
}

export interface TreeWalkOptions<T> {
  readonly signal?: AbortSignal | undefined;
  /** 0 visits only the root. */
  readonly maxDepth?: number;
  /** Visits only znodes after this path in walk order. */
  readonly after?: string;
  /** Znodes that are read ahead. */
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

/**
 * Visits parents before their children, and children by name. Skips deleted znodes, and visits an
 * unreadable one with its error. Memory grows only with the siblings on the path down.
 * @throws the error of reading the root, and any error that is not about one znode
 */
export async function* walkTree<T = undefined>(
  client: Pick<ZooKeeperClient, 'getChildren'>,
  root: string,
  options: TreeWalkOptions<T> = {},
): AsyncGenerator<Visit<T>> {
  const { signal, after, inFlight = READ_AHEAD, maxDepth = Number.POSITIVE_INFINITY } = options;
  const ask = makeAsk(client, options, maxDepth);
  // A stack: the next znode is the last entry.
  const pending: Pending<T>[] = [{ path: root, depth: 0, isLast: true, answer: undefined }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const answer = await (next.answer ?? ask(next));
    if (signal?.aborted === true) return;
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
  { read, pace, signal }: TreeWalkOptions<T>,
  maxDepth: number,
): (node: Pending<T>) => Promise<Answer<T>> {
  const call = { signal };
  return async ({ path, depth }) => {
    try {
      if (pace !== undefined) await pace(read === undefined ? 1 : 2);
      const [listed, extra] = await Promise.all([client.getChildren(path, call), read?.(path)]);
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
  { after, isSkipped }: TreeWalkOptions<T>,
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

function isAboutNode(error: unknown): error is ZooKeeperError {
  return error instanceof ZooKeeperError && (error.code === 'NONODE' || error.code === 'NOAUTH');
}

export interface WalkOptions extends Pace {
  readonly signal?: AbortSignal | undefined;
}

/** A znode of a walk. */
export interface WalkedZnode {
  readonly path: string;
  readonly stat: Stat;
  /** 0 for the znode where the walk begins. */
  readonly depth: number;
}

const WALK_CHECKS = { ...PACE_CHECKS, signal: checkSignal };

/**
 * The znodes of a tree, parents before their children, and children by name. Znodes that are
 * created or deleted during the walk may be missing. Memory grows only with the siblings on the
 * path down.
 * @example
 * for await (const { path, stat } of walk(client, '/app')) console.log(path, stat.dataLength);
 * @throws ZooKeeperError: NONODE without the first znode, NOAUTH
 */
export async function* walk(
  client: ZooKeeperClient,
  path: string,
  options: WalkOptions = {},
): AsyncGenerator<WalkedZnode, void, undefined> {
  checkClient(client);
  const { signal, ...pace } = checkFields('options', options, WALK_CHECKS);
  yield* readable(client, path, new Pacer(pace, signal), signal);
}

async function* readable(
  client: ZooKeeperClient,
  root: string,
  pacer: Pacer,
  signal: AbortSignal | undefined,
): AsyncGenerator<WalkedZnode, void, undefined> {
  const { inFlight } = pacer;
  const pace = () => pacer.turn();
  throwIfAborted(signal, root);
  for await (const visit of walkTree(client, root, { signal, inFlight, pace })) {
    const { path, stat, depth, error } = visit;
    if (error !== undefined) throw error;
    if (stat !== undefined) yield { path, stat, depth };
  }
  throwIfAborted(signal, root);
}

export interface DeleteAllOptions extends WalkOptions {
  /** Called after each deletion, with the number so far. */
  readonly onProgress?: ((deleted: number) => void) | undefined;
}

/**
 * Deletes a znode and its descendants, children first, and those that are created meanwhile. It is
 * idempotent, but not atomic: if it fails, call it again.
 * @example await deleteAll(client, '/app/old', { perSecond: 500 });
 * @returns the number of deleted znodes; 0 without the znode
 * @throws ZooKeeperError, for example NOAUTH
 */
export async function deleteAll(
  client: ZooKeeperClient,
  path: string,
  options: DeleteAllOptions = {},
): Promise<number> {
  checkClient(client);
  const { signal, onProgress, ...pace } = checkFields('options', options, {
    ...WALK_CHECKS,
    onProgress: checkFunction,
  });
  return deleteTree(client, path, new Pacer(pace, signal), { signal, onProgress });
}

async function deleteTree(
  client: ZooKeeperClient,
  path: string,
  pacer: Pacer,
  {
    signal,
    onProgress,
  }: {
    readonly signal: AbortSignal | undefined;
    readonly onProgress: DeleteAllOptions['onProgress'] | undefined;
  },
): Promise<number> {
  const call = { signal };
  let deleted = 0;
  /** @returns whether it got new children */
  const remove = async (each: string): Promise<boolean> => {
    try {
      await client.delete(each, -1, call);
      deleted++;
      onProgress?.(deleted);
      return false;
    } catch (error) {
      if (isCode(error, 'NONODE')) return false;
      if (isCode(error, 'NOTEMPTY')) return true;
      throw error;
    }
  };
  for (;;) {
    const paths: string[] = [];
    try {
      for await (const znode of readable(client, path, pacer, signal)) paths.push(znode.path);
    } catch (error) {
      if (isCode(error, 'NONODE')) return deleted;
      throw error;
    }
    // A server does the requests of a session in order, so children go before their parents.
    const outcomes = await pacer.map(paths.reverse(), remove).catch((error: unknown) => {
      throwIfAborted(signal, path, hasUnknownOutcome(error));
      throw error;
    });
    if (!outcomes.includes(true)) return deleted;
  }
}
