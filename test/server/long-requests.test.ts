/** Requests above jute.maxbuffer: each is answered in its turn, and nothing of it is kept. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { requestFrame } from './server-peer.js';
import { ServerWorld } from './server-world.js';

const MAX = 500;
const LONG = Buffer.alloc(2 * MAX, 0x78);
const settings = { maxFrameLength: MAX };

test('its answer keeps the order of the requests around it', () => {
  const world = new ServerWorld({ settings });
  const peer = world.client();
  const requests = [
    peer.create('/a'),
    peer.bare(OpCode.setData, LONG),
    peer.create('/b'),
    peer.bare(OpCode.multi, LONG),
    peer.ping(),
  ];
  peer.push(Buffer.concat(requests));
  assert.equal(peer.take(), [], 'writes before it are in flight');
  world.ackAll();
  assert.equal(peer.take(), [
    'create ok',
    'setData BADARGUMENTS',
    'create ok',
    'multi BADARGUMENTS',
    'ping ok',
  ]);
  assert.not(peer.isClosed);
});

test('it comes in pieces, none of which is kept, and holds the session alive only at its end', () => {
  const world = new ServerWorld({ settings });
  const peer = world.client();
  const frame = peer.bare(OpCode.setData, LONG);
  for (const byte of frame.subarray(0, frame.length - 1)) peer.push(Buffer.from([byte]));
  assert.equal(peer.take(), []);
  const [connection] = world.server.state.connections.values();
  assert.is(connection?.decoder.pending, 0);
  peer.push(frame.subarray(frame.length - 1));
  assert.equal(peer.take(), ['setData BADARGUMENTS']);
});

test('a session whose request trickles in expires as a silent one', () => {
  const world = new ServerWorld({ settings });
  const peer = world.client();
  const frame = peer.bare(OpCode.setData, LONG);
  for (let at = 0; at < frame.length - 1 && !peer.isClosed; at += 10) {
    peer.push(frame.subarray(at, at + 10));
    world.clock(500);
    world.ackAll();
  }
  assert.ok(peer.isClosed);
});

test('a request of the client itself, which no client expects to fail, closes the connection', () => {
  for (const xid of [-8, -4, -2]) {
    const world = new ServerWorld({ settings });
    const peer = world.client();
    peer.push(requestFrame(xid, OpCode.setWatches, LONG));
    assert.ok(peer.isClosed, `xid ${xid}`);
  }
});

test('before the session is open, it closes the connection', () => {
  const world = new ServerWorld({ settings });
  const peer = world.connect();
  peer.push(requestFrame(1, OpCode.create, LONG));
  assert.ok(peer.isClosed);
});

test.run();
