/** A server that was paused itself ends no session for what it could not hear. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SessionTracker } from '../../../src/server/session/session-tracker.js';
import { ServerWorld } from '../server-world.js';

test('clients whose pings wait in their sockets outlive a pause of the server', () => {
  for (const pauseMs of [900, 5000, 60_000]) {
    const world = new ServerWorld();
    const alive = world.client({ timeoutMs: 4000 });
    const dead = world.client({ timeoutMs: 4000 });
    world.clock(4100);
    alive.push(alive.ping());
    dead.push(dead.ping());
    world.clock(3900);
    // The first event of the turn brings the time, the next ones the packets of the meantime.
    world.jump(pauseMs);
    alive.push(alive.ping());
    world.clock(3500);
    world.ackAll();
    assert.equal([alive.isClosed, dead.isClosed], [false, true], `a pause of ${pauseMs} ms`);
  }
});

test('a client has a tick to come back after a pause of the server', () => {
  const world = new ServerWorld();
  const gone = world.client({ timeoutMs: 4000 });
  gone.leave();
  world.jump(60_000);
  world.clock(900);
  world.ackAll();
  assert.is(world.server.state.sessions.size, 1);
  world.clock(200);
  world.ackAll();
  assert.is(world.server.state.sessions.size, 0);
});

test('the sessions of this server alone know of its pause, too', () => {
  const tracker = new SessionTracker(1000, 0);
  const local = tracker.keepLocal();
  tracker.clock(0);
  tracker.addLocal(1n, 4000, 0);
  tracker.clock(30_000);
  tracker.clock(30_000);
  assert.equal(local.expire(30_000), []);
  tracker.clock(31_000);
  assert.is(local.expire(31_000).length, 1);
});

test.run();
