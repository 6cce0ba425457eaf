import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerAddress } from '../../src/client/connect-string.js';
import { rebalance } from '../../src/client/rebalance.js';
import { SessionHarness, welcome } from './session-harness.js';

function servers(names: string): readonly ServerAddress[] {
  return [...names].map((host) => ({ host, port: 2181 }));
}

function hosts(list: readonly ServerAddress[]): string {
  return list.map(({ host }) => host).join('');
}

/** Every tenth from 0.05 to 0.95: what has a probability of tenths comes as often as it should. */
const TENTHS = Array.from({ length: 10 }, (_, i) => i / 10 + 0.05);

test('three servers become five: 40 % of the clients move, to the two new ones', () => {
  for (const current of servers('abc')) {
    const moves = TENTHS.map((random) =>
      rebalance(current, servers('abc'), servers('eadbc'), () => random),
    ).filter(({ isMoving }) => isMoving);
    assert.is(moves.length, 4);
    for (const { order } of moves) assert.is(hosts(order), 'edabc');
  }
});

test('five servers become three: clients of the two that went move, the others stay', () => {
  for (const current of servers('abc')) {
    for (const random of TENTHS) {
      const { isMoving } = rebalance(current, servers('abcde'), servers('cba'), () => random);
      assert.not(isMoving);
    }
  }
  for (const current of servers('de')) {
    for (const random of TENTHS) {
      const { isMoving, order } = rebalance(
        current,
        servers('abcde'),
        servers('cba'),
        () => random,
      );
      assert.ok(isMoving);
      assert.is(hosts(order), 'cba');
    }
  }
});

test('a server is replaced: its clients go to the new one, which then has its share', () => {
  for (const random of TENTHS) {
    const { isMoving, order } = rebalance(
      { host: 'c', port: 2181 },
      servers('abc'),
      servers('abd'),
      () => random,
    );
    assert.ok(isMoving);
    assert.is(hosts(order), 'dab');
  }
});

test('of five servers two go and one comes: the kept ones get what they lack, the new one its share', () => {
  // 60 clients, 12 on each: 24 must move, 15 of them to the new one and 3 to each that was kept.
  const first = TENTHS.map((_, i) => {
    const random = (i + 0.5) / TENTHS.length;
    const current = { host: 'd', port: 2181 };
    return hosts(rebalance(current, servers('abcde'), servers('abcx'), () => random).order).charAt(
      0,
    );
  });
  // 9 of 24, where tenths give 4 of 10.
  assert.is(first.filter((host) => host !== 'x').length, 4);
});

test('one that must move is where it wants to be in the end, and says why it left', () => {
  const h = new SessionHarness({ servers: servers('abc'), random: () => 0 });
  h.establish();
  h.ask('/x');
  h.session.updateServers(servers('bcade'), h.now);
  assert.equal(h.takeLog(), [
    'disconnect',
    'state disconnected: the list of servers changed',
    'connect d:2181',
    'CONNECTIONLOSS /x',
  ]);
  h.session.handleClosed(new Error('refused'), h.now);
  h.session.handleClosed(new Error('refused'), h.now);
  assert.equal(h.takeLog(), ['connect e:2181', 'connect b:2181']);
  h.session.handleConnected(h.now);
  h.takeBytes();
  h.receive(welcome());
  h.session.handleClosed(undefined, h.now);
  assert.is(h.takeLog().at(-1), 'connect c:2181');
});

test('one that may stay stays, and finds the new servers when it loses its own', () => {
  const h = new SessionHarness({ servers: servers('ab'), random: () => 0.99 });
  h.establish();
  h.session.updateServers(servers('abc'), h.now);
  assert.equal(h.takeLog(), []);
  h.session.handleClosed(undefined, h.now);
  h.session.handleClosed(undefined, h.now);
  assert.equal(h.takeLog().slice(1), ['connect b:2181', 'connect c:2181']);
});

test('an attempt at a server that is no longer in the list is given up', () => {
  const h = new SessionHarness({ servers: servers('ab') });
  h.session.start(h.now);
  h.session.updateServers(servers('cd'), h.now);
  assert.equal(h.takeLog(), ['connect a:2181', 'disconnect', 'connect c:2181']);
  h.session.updateServers(servers('dc'), h.now);
  assert.equal(h.takeLog(), []);
});

test.run();
