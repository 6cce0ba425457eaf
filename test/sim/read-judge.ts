import type { ACL, StatRecord } from '../../src/protocol/data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { dumpLine, kindOf, lengthOf } from '../model/naive-tree.js';
import type { Ledger } from './ledger.js';
import { isJudged, type Version } from './naive-state.js';
import type { Author } from './requests-sent.js';
import { hex, Violation } from './violation.js';

const READ = 1;
const ADMIN = 16;

/** Judges what a response says of the whole tree at its zxid: Stats, ACLs, and permissions. */
export class ReadJudge {
  private readonly ledger: Ledger;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** Undefined if some txns up to then are unknown. */
  private versionAt(path: string, zxid: bigint): Version | undefined {
    if (!isJudged(path) || this.ledger.znodes.isUnseenBetween(zxid, zxid)) return undefined;
    return this.ledger.state.versionAt(path, zxid) ?? { zxid: 0n, node: null, numChildren: 0 };
  }

  stat(path: string, zxid: bigint, found: StatRecord): void {
    const version = this.versionAt(path, zxid);
    if (version === undefined) return;
    const { node, numChildren } = version;
    const expected =
      node === null
        ? 'no znode'
        : statText({
            ...node,
            cversion: (2 * node.cversion - numChildren) | 0,
            ephemeralOwner: kindOf(node.owner) === 'session' ? node.owner : 0n,
            dataLength: lengthOf(node.data),
            numChildren,
          });
    this.same(`the Stat of ${path} at ${hex(zxid)}`, statText(found), expected);
  }

  /** Whether the answer is refused exactly if the ACL demands it. */
  permitted(path: string, zxid: bigint, err: number, author: Author, perms = READ): void {
    const node = this.versionAt(path, zxid)?.node ?? null;
    if (node === null || (err !== ErrorCode.OK && err !== ErrorCode.NOAUTH)) return;
    const isAllowed = author.may(node.acl, perms);
    this.same(`the right to read ${path} at ${hex(zxid)}`, err === ErrorCode.OK, isAllowed);
  }

  /** Without ADMIN, the password of a digest is hidden. */
  acl(path: string, zxid: bigint, found: readonly ACL[], author: Author): void {
    const node = this.versionAt(path, zxid)?.node ?? null;
    if (node === null) return;
    const isAdmin = author.may(node.acl, ADMIN);
    const shown = node.acl.map(({ perms, id: { scheme, id } }) => {
      const isHidden = !isAdmin && scheme === 'digest';
      return { perms, id: { scheme, id: isHidden ? `${id.split(':')[0]}:x` : id } };
    });
    const [a, b] = [found, shown].map((acl) => dumpLine(path, null, acl, undefined));
    this.same(`the ACL of ${path} at ${hex(zxid)}`, a, b);
  }

  /** @param count all znodes below the path */
  below(path: string, zxid: bigint, count: number): void {
    if (this.versionAt(path, zxid) === undefined) return;
    const { state } = this.ledger;
    let expected = 0;
    for (const other of state.paths) {
      const isBelow = other.startsWith(`${path}/`);
      if (isBelow && (state.versionAt(other, zxid)?.node ?? null) !== null) expected++;
    }
    this.same(`the number of znodes below ${path} at ${hex(zxid)}`, count, expected);
  }

  ephemerals(sessionId: bigint, zxid: bigint, found: readonly string[]): void {
    if (this.ledger.znodes.isUnseenBetween(zxid, zxid)) return;
    const { state } = this.ledger;
    const owned: string[] = [];
    for (const path of state.paths) {
      if (state.versionAt(path, zxid)?.node?.owner === sessionId) owned.push(path);
    }
    const [a, b] = [[...found], owned].map((paths) => paths.sort().join(' '));
    this.same(`the ephemerals of ${hex(sessionId)} at ${hex(zxid)}`, a, b);
  }

  private same(what: string, found: unknown, expected: unknown): void {
    if (found === expected) return;
    throw new Violation(`a read shows ${what} as ${found} (expected ${expected})`);
  }
}

function statText(stat: StatRecord): string {
  const { czxid, mzxid, ctime, mtime, version, cversion, aversion } = stat;
  const { ephemeralOwner, dataLength, numChildren, pzxid } = stat;
  const zxids = [czxid, mzxid, pzxid, ephemeralOwner].map((zxid) => zxid.toString(16)).join(' ');
  const counts = [version, cversion, aversion, dataLength, numChildren].join(' ');
  return `${zxids} ${ctime} ${mtime} ${counts}`;
}
