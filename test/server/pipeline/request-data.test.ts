import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as requests from '../../sim/clients/requests.js';
import { ServerWorld } from '../server-world.js';

const COUNT = 200;

/** Different for each znode, and of every length. */
function dataOf(i: number): string {
  return `${i}-`.repeat(1 + ((i * 7) % 150)).slice(0, (i * 13) % 600);
}

test('the memory of a request may have other bytes before its txn is applied', () => {
  const world = new ServerWorld();
  const client = world.client();
  const send = ({ type, body }: { readonly type: number; readonly body: Buffer }): void => {
    const frame = client.bare(type, body);
    client.push(frame);
    frame.fill(0xee);
  };
  // The log's memory grows meanwhile, and later turns use the rest of it.
  for (let i = 0; i < COUNT; i++) {
    const path = `/${i}`;
    const parts = [requests.create(path, 0, ''), requests.setData(path, dataOf(i))];
    if (i % 3 === 0) send(requests.multi(parts));
    else for (const part of parts) send(part);
    if (i % 50 === 0) world.ackAll();
  }
  world.ackAll();
  const { tree } = world.server.state;
  for (let i = 0; i < COUNT; i++) assert.is(tree.dataAt(`/${i}`), dataOf(i), `/${i}`);
});

test.run();
