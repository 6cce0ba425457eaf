import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { WatchWorld } from './watch-world.js';

test('each write counts the bytes of its path and data in the namespace of its znode', () => {
  const world = new WatchWorld();
  const { writer } = world;
  const sums: number[] = [];
  const write = (request: Buffer): void => {
    world.change(request);
    sums.push(world.world.server.state.stats.metrics.writes.byName.get('app')?.sum ?? 0);
  };
  write(writer.create('/app'));
  write(writer.request(OpCode.setData, { path: '/app', data: Buffer.from('1'), version: -1 }));
  write(world.delete('/app'));
  assert.equal(sums, [4, 9, 13]);
});

test.run();
