import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ServerWorld } from '../server-world.js';

// A client cannot name version -1 in a request: there it means any version. So 3.10 skips it.

for (const [before, after] of [
  [0, 1],
  [2 ** 31 - 1, -(2 ** 31)],
  [-3, -2],
  [-2, 0],
  [-1, 0],
] as const) {
  test(`version ${before} is followed by ${after}`, () => {
    const world = new ServerWorld();
    const client = world.client();
    client.push(client.create('/a'));
    world.ackAll();
    const { tree } = world.server.state;
    const node = tree.get('/a');
    assert.ok(node);
    tree.statOf(node).setData(tree.lastProcessedZxid, 0n, before, 0);
    client.push(client.setData('/a', before));
    world.ackAll();
    assert.equal(client.take(), ['create ok', 'setData ok']);
    assert.is(tree.statOf(node).version, after);
  });
}

test.run();
