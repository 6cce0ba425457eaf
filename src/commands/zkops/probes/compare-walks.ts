// Compares the trees of members by walking them, for servers without common digests. A difference
// may be a change between the walks, so each is read again: here, after a sync there, after a sync
// here. The members differ if both reads here agree and the read there differs.

import { crc32 } from '../../../base/checksum.js';
import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { mapBounded } from '../../../client/znodes/pace.js';
import { walkTree } from '../../../client/znodes/walk.js';
import { isWithin } from '../../../protocol/path.js';
import { formatZxid } from '../../../protocol/zxid.js';
import type { MemberSession } from './sessions.js';

/** Each server has its own counters there. */
const LOCAL = '/zookeeper';
const READS_AT_ONCE = 64;
/** One confirmed difference is enough. */
const MAX_RECHECKED = 100;

export interface WalkedTree {
  readonly session: MemberSession;
  readonly prints: ReadonlyMap<string, string>;
  /** The walk stopped before the end. */
  readonly isCut: boolean;
  /** The number of znodes without READ. */
  readonly hidden: number;
}

const GONE = 'not there';
const HIDDEN = 'not readable';

/** The fields of a znode that are the same on all members. */
async function printOf(client: ZooKeeperClient, path: string): Promise<string> {
  try {
    const { data, stat } = await client.getData(path);
    const sum = data === null ? 'none' : crc32(data, 0, data.length).toString(16);
    const { mzxid, pzxid, czxid, version, cversion, aversion, ephemeralOwner } = stat;
    const ids = [czxid, mzxid, pzxid, ephemeralOwner].map(formatZxid).join(' ');
    return `zxids and owner ${ids}, versions ${version} ${cversion} ${aversion}, data ${sum}`;
  } catch (error) {
    if (!(error instanceof ZooKeeperError)) throw error;
    if (error.code === 'NONODE') return GONE;
    if (error.code === 'NOAUTH') return HIDDEN;
    throw error;
  }
}

export async function printTree(
  session: MemberSession,
  root: string,
  limit: number,
  signal: AbortSignal,
): Promise<WalkedTree> {
  const { client } = session;
  await client.sync(root);
  const prints = new Map<string, string>();
  let isCut = false;
  let hidden = 0;
  const paths = async function* (): AsyncGenerator<string> {
    let count = 0;
    for await (const { path } of walkTree(client, root, { signal })) {
      if (isWithin(path, LOCAL)) continue;
      isCut = count++ === limit;
      if (isCut) return;
      yield path;
    }
  };
  const print = (path: string) => printOf(client, path);
  for await (const { item: path, value } of mapBounded(paths(), READS_AT_ONCE, print)) {
    prints.set(path, value);
    if (value === HIDDEN) hidden++;
  }
  return { session, prints, isCut, hidden };
}

export interface Difference {
  readonly path: string;
  readonly here: string;
  readonly there: string;
}

export async function provenDifferences(
  here: WalkedTree,
  there: WalkedTree,
): Promise<Difference[]> {
  const proven: Difference[] = [];
  for (const path of suspects(here, there)) {
    const before = await printOf(here.session.client, path);
    await there.session.client.sync(path);
    const other = await printOf(there.session.client, path);
    await here.session.client.sync(path);
    const after = await printOf(here.session.client, path);
    const isHidden = [before, other].includes(HIDDEN);
    if (before === after && other !== before && !isHidden) {
      proven.push({ path, here: before, there: other });
    }
  }
  return proven;
}

function suspects(here: WalkedTree, there: WalkedTree): string[] {
  // An incomplete walk says nothing about the rest.
  const isCut = here.isCut || there.isCut;
  const paths = new Set(here.prints.keys());
  for (const path of there.prints.keys()) paths.add(path);
  const found: string[] = [];
  for (const path of paths) {
    const [left, right] = [here.prints.get(path), there.prints.get(path)];
    const isUnknown = isCut && (left === undefined || right === undefined);
    if (left !== right && !isUnknown) found.push(path);
    if (found.length === MAX_RECHECKED) break;
  }
  return found;
}
