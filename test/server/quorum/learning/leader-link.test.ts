import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effect } from '../../../../src/server/effects.js';
import { LimitError } from '../../../../src/server/limits/limit-error.js';
import { LeaderLink } from '../../../../src/server/quorum/learning/leader-link.js';
import type { Peer } from '../../../../src/server/quorum/peer/peer.js';

const TRIES = 5;
const TICK_MS = 1000;
const DELAY_MS = 100;
/** connectToLearnerMasterLimit ticks. */
const CONNECT_MS = 3 * TICK_MS;

class World {
  readonly emitted: Effect[] = [];
  readonly exceeded: unknown[] = [];
  readonly peer: { nowMs: number };
  readonly link: LeaderLink;

  constructor(delayMs = 0) {
    let links = 0;
    const peer = {
      nowMs: 10_000,
      limits: {
        tickTimeMs: TICK_MS,
        connectToLearnerMasterLimit: CONNECT_MS / TICK_MS,
        leaderConnectDelayDuringRetryMs: DELAY_MS,
      },
      nextLink: () => --links,
      emit: (effect: Effect) => this.emitted.push(effect),
      exceeded: (...what: unknown[]) => this.exceeded.push(what),
    };
    this.peer = peer;
    const master = { leader: 1, sid: 1, addresses: [], delayMs };
    this.link = new LeaderLink(peer as unknown as Peer, master);
  }

  /** The links dialed since the last cworld. */
  dialed(): number[] {
    return this.emitted
      .splice(0)
      .flatMap((effect) => (effect.kind === 'link-dial' ? [effect.link] : []));
  }

  pass(ms: number): void {
    this.peer.nowMs += ms;
    this.link.tick();
  }
}

test('it dials a few times, each after a pause, and then no more', () => {
  const world = new World();
  const { link } = world;
  assert.equal(world.dialed(), [-1]);
  for (let number = 2; number <= TRIES; number++) {
    assert.ok(link.closed(), `try ${number} is left`);
    assert.is(link.nextWakeMs, world.peer.nowMs + DELAY_MS);
    world.pass(DELAY_MS - 1);
    assert.equal(world.dialed(), []);
    world.pass(1);
    assert.equal(world.dialed(), [-number]);
    assert.ok(link.is(-number));
    assert.is(link.nextWakeMs, Number.POSITIVE_INFINITY);
  }
  assert.not(link.closed());
  assert.not(link.isOpen);
});

test('it dials no more once its time is over', () => {
  const world = new World();
  world.peer.nowMs += CONNECT_MS - 1;
  assert.ok(world.link.closed());
  world.pass(DELAY_MS);
  assert.not(world.link.closed());
});

test('a link that was open is not dialed again', () => {
  const { link } = new World();
  link.opened();
  assert.not(link.closed());
  assert.throws(() => link.opened(), /opened twice/);
});

test('the first dial waits for the delay, which its time does not count', () => {
  const world = new World(500);
  assert.equal(world.dialed(), []);
  assert.is(world.link.nextWakeMs, world.peer.nowMs + 500);
  world.pass(500);
  assert.equal(world.dialed(), [-1]);
  world.peer.nowMs += CONNECT_MS - 1;
  assert.ok(world.link.closed());
});

test('while it is held, the silence of the leader does not count', () => {
  const world = new World();
  const { link, peer } = world;
  link.opened();
  world.dialed();
  peer.nowMs += 700;
  assert.is(link.silentMs, 700);
  for (const isHeld of [true, true, false, false]) link.hold(isHeld);
  assert.equal(world.emitted, [
    { kind: 'link-hold', link: -1, isHeld: true },
    { kind: 'link-hold', link: -1, isHeld: false },
  ]);
  assert.is(link.silentMs, 0);
});

test('what it has to send leaves with its link, and is dropped without one', () => {
  const world = new World();
  const { link } = world;
  world.dialed();
  link.revalidate(Buffer.from('a'));
  link.close();
  assert.equal(
    world.emitted.splice(0).map(({ kind }) => kind),
    ['link-send', 'link-close'],
  );
  link.revalidate(Buffer.from('b'));
  link.drain();
  link.close();
  assert.equal(world.emitted, []);
  assert.is(link.out.length, 0);
});

test('it reports a limit, and no other error', () => {
  const world = new World();
  world.link.reportLimit(new Error('another one'));
  world.link.reportLimit(new LimitError('peerPacketLength', 'too long', 7));
  assert.equal(world.exceeded, [['peerPacketLength', 'server 1', 7]]);
});

test.run();
