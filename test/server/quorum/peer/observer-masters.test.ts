import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { ObserverMasters } from '../../../../src/server/quorum/peer/observer-masters.js';
import { LIMITS } from '../../../sim/nodes/peer-parts.js';
import { parse } from '../../../sim/shape.js';
import { FOLLOWERS, LEADER, masterOf, OBSERVER, serving } from '../worlds/observer-world.js';

// The choice of a master by an observer.

const PORT = 2900;

function configOf(voters: number) {
  const lines = Array.from({ length: voters + 1 }, (_, i) => {
    const role = i < voters ? 'participant' : 'observer';
    return `server.${i + 1}=10.0.0.${i + 1}:2888:3888:${role}`;
  });
  return parse(lines.join('\n'));
}

test('followers, and observers without that port, connect to the leader', () => {
  const config = configOf(3);
  const place = [{ host: '10.0.0.3', port: 2888 }];
  const without = new ObserverMasters(LIMITS, 1);
  const withPort = new ObserverMasters({ ...LIMITS, observerMasterPort: PORT }, 1);
  for (const pick of [without.pick(config, 3, true), withPort.pick(config, 3, false)]) {
    assert.equal(pick, { leader: 3, sid: 3, addresses: place, delayMs: 0 });
  }
});

test('an observer tries the voters in turn, except the leader, in its own order', () => {
  const config = configOf(5);
  const orders = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const masters = new ObserverMasters({ ...LIMITS, observerMasterPort: PORT }, seed);
    const picks = Array.from({ length: 8 }, () => masters.pick(config, 5, true));
    const sids = picks.map(({ sid }) => sid);
    assert.equal([...sids].slice(0, 4).sort(), [1, 2, 3, 4], `seed ${seed}`);
    assert.equal(sids.slice(4), sids.slice(0, 4), 'the same round again');
    const [{ sid, addresses } = { sid: 0, addresses: [] }] = picks;
    assert.equal(addresses, [{ host: `10.0.0.${sid}`, port: PORT }]);
    orders.add(sids.join());
  }
  assert.ok(orders.size > 5, `${orders.size} orders`);
});

test('after all voters, an observer waits before it starts over (observer.reconnectDelayMs)', () => {
  const limits = { ...LIMITS, observerMasterPort: PORT, observerReconnectDelayMs: 1_000_000 };
  const masters = new ObserverMasters(limits, 7);
  const pauses = Array.from({ length: 5 }, () => masters.pick(configOf(3), 4, true).delayMs);
  assert.equal(
    pauses.map((pauseMs) => pauseMs > 0),
    [false, false, false, true, false],
  );
});

test('other voters give another order, and a leader that is the only voter is chosen', () => {
  const masters = new ObserverMasters({ ...LIMITS, observerMasterPort: PORT }, 7);
  masters.pick(configOf(3), 3, true);
  const sids = [1, 2].map(() => masters.pick(configOf(2), 2, true).sid);
  assert.equal(sids, [1, 1]);
  const { sid, addresses } = masters.pick(configOf(1), 1, true);
  assert.is(sid, 1);
  assert.equal(addresses, [{ host: '10.0.0.1', port: 2888 }]);
});

test('an observer that a reconfig makes a participant follows the leader, and can return', () => {
  const world = serving(1, { initial: 4 });
  const client = world.client(LEADER, { timeoutMs: 20_000 });
  const turn = (role: string) => {
    const joiningServers = `server.4=127.0.0.4:2003:3003:${role};4003`;
    const asked = { joiningServers, leavingServers: '', newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    world.until(() => world.member(OBSERVER).peer.isObserver === (role === 'observer'), role);
    world.allServe();
  };
  client.take();
  turn('participant');
  assert.is(world.member(OBSERVER).peer.role?.kind, 'following');
  assert.is(masterOf(world), LEADER);
  turn('observer');
  assert.ok(FOLLOWERS.includes(masterOf(world)));
  assert.equal(client.take(), ['reconfig ok', 'reconfig ok']);
  const versions = [1, 2, 3, OBSERVER].map(
    (sid) => world.member(sid).peer.membership.config.version,
  );
  assert.is(new Set(versions).size, 1);
});

test('a master that a reconfig makes an observer disconnects its observers', () => {
  const world = serving(1, { initial: 4 });
  const client = world.client(LEADER, { timeoutMs: 20_000 });
  const master = masterOf(world);
  const joiningServers = `server.${master}=127.0.0.${master}:${1999 + master}:${2999 + master}:observer;${3999 + master}`;
  const asked = { joiningServers, leavingServers: '', newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, asked));
  world.until(() => world.isServing(OBSERVER) && world.isServing(master), 'both observe');
  const other = FOLLOWERS.find((sid) => sid !== master);
  assert.is(masterOf(world), other);
  assert.is(masterOf(world, master), other);
});

test.run();
