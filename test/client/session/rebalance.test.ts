import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerAddress } from '../../../src/client/base/connect-string.js';
import { rebalance, ServerList } from '../../../src/client/session/server-list.js';
import { SessionHarness, welcome } from '../session-harness.js';

function servers(names: string): readonly ServerAddress[] {
  return [...names].map((host) => ({ host, port: 2181 }));
}

function hosts(list: readonly ServerAddress[]): string {
  return list.map(({ host }) => host).join('');
}

/** Every tenth from 0.05 to 0.95, so that a probability in tenths gives an exact share. */
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

test('five servers become three: clients of the two removed servers move, and the others stay', () => {
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

test('a server is replaced: its clients move to the new one, which then has its share', () => {
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

test('two of five servers are replaced by one: each remaining server gets its share', () => {
  // 60 clients, 12 on each: 24 must move, 15 of them to the new server and 3 to each kept one.
  const first = TENTHS.map((_, i) => {
    const random = (i + 0.5) / TENTHS.length;
    const current = { host: 'd', port: 2181 };
    return hosts(rebalance(current, servers('abcde'), servers('abcx'), () => random).order).charAt(
      0,
    );
  });
  // 9 of 24, but with tenths 4 of 10.
  assert.is(first.filter((host) => host !== 'x').length, 4);
});

test('a client that must move reaches its new server, and reports why it left', () => {
  const h = new SessionHarness({ servers: servers('abc'), random: () => 0 });
  h.establish();
  h.ask('/x');
  h.session.changeServers(ServerList.toServers(servers('bcade')), h.now);
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

test('a client that may stay does, and uses the new list after it loses its server', () => {
  const h = new SessionHarness({ servers: servers('ab'), random: () => 0.99 });
  h.establish();
  h.session.changeServers(ServerList.toServers(servers('abc')), h.now);
  assert.equal(h.takeLog(), []);
  h.session.handleClosed(undefined, h.now);
  h.session.handleClosed(undefined, h.now);
  assert.equal(h.takeLog().slice(1), ['connect b:2181', 'connect c:2181']);
});

test('an attempt to connect to a removed server stops', () => {
  const h = new SessionHarness({ servers: servers('ab') });
  h.session.start(h.now);
  h.session.changeServers(ServerList.toServers(servers('cd')), h.now);
  assert.equal(h.takeLog(), ['connect a:2181', 'disconnect', 'connect c:2181']);
  h.session.changeServers(ServerList.toServers(servers('dc')), h.now);
  assert.equal(h.takeLog(), []);
});

test.run();
