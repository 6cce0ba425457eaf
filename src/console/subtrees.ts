import type { ZooKeeperClient } from '../client/base/client.js';
import { walkTree } from '../client/znodes/walk.js';
import { parseNameGlob } from '../commands/znodes/path-glob.js';
import { baseName } from '../protocol/path.js';
import type { Match, Search, Subtree } from './api/shapes.js';
import { AtOnce } from './at-once.js';
import { HttpProblem } from './problem.js';
import { timeOf } from './stat-shape.js';

/** More znodes are work for zksh. */
export const MAX_COUNT = 10_000;
const MAX_VISITS = 2000;
const MAX_SEARCH_MS = 1000;
const MAX_SAMPLE = 20;
/** Few, so that other clients of the server do not wait. */
const IN_FLIGHT = 32;
const BATCH = 100;
/** Each reads up to MAX_COUNT znodes, or values of 1 MiB, IN_FLIGHT at once. */
const WALKS = new AtOnce(8, 'walks through subtrees run');

const pathsOf = (client: ZooKeeperClient, root: string) => WALKS.run(() => readPaths(client, root));

async function readPaths(client: ZooKeeperClient, root: string) {
  const stop = new AbortController();
  const paths: string[] = [];
  let [ephemerals, bytes] = [0, 0];
  let isWhole = true;
  for await (const { path, stat } of walkTree(client, root, {
    signal: stop.signal,
    inFlight: IN_FLIGHT,
  })) {
    if (paths.length === MAX_COUNT) {
      isWhole = false;
      stop.abort();
      break;
    }
    paths.push(path);
    bytes += stat?.dataLength ?? 0;
    if (stat !== undefined && stat.ephemeralOwner !== 0n) ephemerals++;
  }
  return { paths, ephemerals, bytes, isWhole };
}

/** @throws ZooKeeperError, HttpProblem */
export async function countSubtree(client: ZooKeeperClient, root: string): Promise<Subtree> {
  const { paths, ...figures } = await pathsOf(client, root);
  return { path: root, count: paths.length, sample: paths.slice(0, MAX_SAMPLE), ...figures };
}

/** Deletes children first, if the count is as expected. Only each batch is a transaction. */
export async function deleteSubtree(
  client: ZooKeeperClient,
  root: string,
  { count, version }: { readonly count: number; readonly version: number },
): Promise<void> {
  const { paths, isWhole } = await pathsOf(client, root);
  if (paths.length !== count || !isWhole) {
    const found = isWhole ? String(paths.length) : `more than ${MAX_COUNT}`;
    const detail = `${root}: the subtree has ${found} znodes (expected ${count})`;
    const hint = isWhole ? 'count it again' : 'use zksh: deleteall';
    throw new HttpProblem(409, 'COUNTCHANGED', detail, { path: root, hint });
  }
  if (version !== -1) await client.multi([{ op: 'check', path: root, version }]);
  const last = paths.toReversed();
  for (let at = 0; at < last.length; at += BATCH) {
    const batch = last.slice(at, at + BATCH);
    await client.multi(
      batch.map((path) => ({ op: 'delete', path, version: path === root ? version : -1 })),
    );
  }
}

export interface SearchFor {
  readonly root: string;
  /** A part of the name, or a pattern with * or ?. With a slash, it matches the path. */
  readonly name: string | undefined;
  /** A part of the data, as UTF-8. */
  readonly value: string | undefined;
  /** In ms since 1970. */
  readonly changedSinceMs: number | undefined;
  readonly after: string | undefined;
}

/** One page of a search; the caller continues with `next`. @throws ZooKeeperError, HttpProblem */
export function searchSubtree(client: ZooKeeperClient, wanted: SearchFor): Promise<Search> {
  return WALKS.run(() => search(client, wanted));
}

async function search(client: ZooKeeperClient, wanted: SearchFor): Promise<Search> {
  const { root, value, changedSinceMs = 0, after } = wanted;
  const isNamed = nameTest(wanted.name);
  const stop = new AbortController();
  const until = performance.now() + MAX_SEARCH_MS;
  const matches: Match[] = [];
  let visited = 0;
  let last: string | undefined;
  const walk = walkTree(client, root, {
    signal: stop.signal,
    inFlight: IN_FLIGHT,
    ...(after === undefined ? {} : { after }),
    ...(value === undefined ? {} : { read: (path: string) => dataOf(client, path) }),
  });
  for await (const { path, stat, extra } of walk) {
    const isFull = visited === MAX_VISITS || performance.now() > until;
    if (isFull && last !== undefined) {
      stop.abort();
      return { matches, visited, next: last };
    }
    visited++;
    last = path;
    if (stat === undefined || Number(stat.mtime) < changedSinceMs || !isNamed(path)) continue;
    if (value !== undefined && extra?.includes(value) !== true) continue;
    const modified = timeOf(stat.mtime);
    matches.push({ path, modified, version: stat.version, dataLength: stat.dataLength });
  }
  return { matches, visited, next: null };
}

function nameTest(name: string | undefined): (path: string) => boolean {
  if (name === undefined || name === '') return () => true;
  const text = name.toLowerCase();
  if (text.includes('/')) return (path) => path.toLowerCase().includes(text);
  if (!/[*?]/.test(text)) return (path) => baseName(path).toLowerCase().includes(text);
  const glob = parseNameGlob(name);
  return (path) => glob.test(baseName(path));
}

/** Undefined if the znode does not exist or may not be read. */
async function dataOf(client: ZooKeeperClient, path: string): Promise<Buffer | undefined> {
  try {
    return (await client.getData(path)).data ?? undefined;
  } catch {
    return undefined;
  }
}
