import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FastLeaderElection } from '../../../src/server/quorum/election/fast-leader-election.js';
import { ensembleOf, looking } from './worlds/election-world.js';

// Every order in which the votes of a small ensemble can arrive, without losses.

interface World {
  readonly elections: readonly FastLeaderElection[];
  /** The newest undelivered frame from one server to another, by "from>to". */
  readonly mail: Map<string, Buffer>;
}

function collect({ elections, mail }: World): void {
  for (const [at, election] of elections.entries()) {
    for (const { to, frame } of election.takeOutgoing()) mail.set(`${at + 1}>${to}`, frame);
  }
}

function begin(zxids: readonly bigint[]): World {
  const config = ensembleOf(zxids.length);
  const elections = zxids.map((zxid, at) => looking(at + 1, { zxid, config }));
  const world = { elections, mail: new Map<string, Buffer>() };
  collect(world);
  return world;
}

function deliver(world: World, way: string): void {
  const [from = '', to = ''] = way.split('>');
  const frame = world.mail.get(way);
  if (frame === undefined) throw new Error(`no frame in flight from ${way}`);
  world.mail.delete(way);
  world.elections[Number(to) - 1]?.receive(Number(from), frame, 0);
  collect(world);
}

/** The complete state of a world, including the internals of the servers. */
function fingerprint({ elections, mail }: World): string {
  const plain = (_: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Map) return [...value].sort(([a], [b]) => (a < b ? -1 : 1));
    if (value instanceof Set) return [...value].sort();
    return value;
  };
  const frames = [...mail].map(([way, frame]) => `${way}=${frame.toString('hex', 0, 36)}`).sort();
  return JSON.stringify([elections, frames], plain);
}

/**
 * Visits every state that some order of deliveries leads to. Returns those without frames in
 * flight.
 */
function explore(zxids: readonly bigint[]): { ends: World[]; visited: number } {
  const seen = new Set<string>();
  const ends: World[] = [];
  const paths: string[][] = [[]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    const world = begin(zxids);
    for (const way of path) deliver(world, way);
    const print = fingerprint(world);
    if (seen.has(print)) continue;
    seen.add(print);
    if (world.mail.size === 0) ends.push(world);
    for (const way of world.mail.keys()) paths.push([...path, way]);
  }
  return { ends, visited: seen.size };
}

for (const zxids of [
  [0n, 0n],
  [1n, 0n],
  [0n, 0n, 0n],
  [1n, 0n, 0n],
  [0n, 1n, 0n],
  [2n, 1n, 0n],
]) {
  test(`servers at zxids ${zxids.join(', ')} all choose the best, without a wait`, () => {
    const best = zxids.reduce((found, zxid, at) => {
      return zxid >= (zxids[found - 1] ?? -1n) ? at + 1 : found;
    }, 1);
    const { ends, visited } = explore(zxids);
    assert.ok(ends.length > 0 && visited > ends.length);
    for (const { elections } of ends) {
      for (const [at, election] of elections.entries()) {
        assert.is(election.state, at + 1 === best ? 'leading' : 'following');
        assert.is(election.takeElected()?.leader, best);
      }
    }
  });
}

test.run();
