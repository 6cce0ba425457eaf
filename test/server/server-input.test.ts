/** Four-letter words, and malformed input from clients. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, opCodeName } from '../../src/protocol/op-code.js';
import { READS, WRITES } from '../../src/protocol/operation-table.js';
import { framed, handshake, type Peer, requestFrame } from './server-peer.js';
import { ServerWorld } from './server-world.js';

// ── words ──────────────────────────────────────────────────────────────────────────────────────

test('a word is recognized by its first four bytes, in any chunks', () => {
  for (let at = 1; at < 4; at++) {
    const world = new ServerWorld();
    const peer = world.connect();
    peer.push(Buffer.from('ruok').subarray(0, at));
    assert.is(peer.bytes.length, 0);
    peer.push(Buffer.from('ruok\n').subarray(at));
    assert.is(peer.bytes.toString(), 'imok');
    assert.ok(peer.isClosed);
  }
});

test('a word outside the whitelist is refused by name', () => {
  const world = new ServerWorld({ whitelist: 'srvr' });
  const peer = world.connect();
  peer.push(Buffer.from('ruok'));
  assert.is(peer.bytes.toString(), 'ruok is not executed because it is not in the whitelist.\n');
  assert.ok(peer.isClosed);
  const allowed = world.connect();
  allowed.push(Buffer.from('srvr'));
  assert.match(allowed.bytes.toString(), 'Mode: standalone');
});

test('four letters after the handshake are a frame length, not a word', () => {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(Buffer.from('ruok'));
  assert.equal(peer.take(), ['closed'], 'its letters are a length beyond the limit');
});

for (const code of [...READS, ...WRITES]) {
  test(`the server reads ${opCodeName(code)}, which is in the table of operations`, () => {
    const world = new ServerWorld({ settings: { isKeeperDialect: true } });
    const peer = world.client();
    peer.push(peer.bare(code, Buffer.alloc(0)));
    world.ackAll();
    const lines = peer.take();
    assert.ok(lines.length > 0);
    assert.not.match(lines.join(), 'UNIMPLEMENTED');
  });
}

// ── bad input ──────────────────────────────────────────────────────────────────────────────────

function int(value: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const UNFINISHED_AUTH = requestFrame(-4, OpCode.auth, int(0));

/** Input on a fresh connection, and the resulting events. */
const BAD_OPENINGS: readonly (readonly [what: string, bytes: Buffer, lines: string[]])[] = [
  ['a negative length', int(-1), ['closed']],
  ['the smallest length', int(-2_147_483_648), ['closed']],
  ['a huge length', int(2_147_483_647), ['closed']],
  ['a length one above the limit', int(4097), ['closed']],
  ['letters that are not a word', Buffer.from('GET / HTTP/1.1\r\n\r\n'), ['closed']],
  ['an empty frame', int(0), ['closed']],
  ['a request before the handshake', requestFrame(1, OpCode.getChildren), ['closed']],
  ['a truncated connect request', framed(handshake().subarray(4, 30)), ['closed']],
  [
    'a connect request with a password length beyond its end',
    framed(Buffer.concat([handshake().subarray(4, 28), int(1_000_000)])),
    ['closed'],
  ],
  [
    'a truncated auth packet after the connect frame',
    Buffer.concat([handshake(), UNFINISHED_AUTH]),
    ['connected', 'closed'],
  ],
  [
    'a truncated header after the connect frame',
    Buffer.concat([handshake(), framed(int(1))]),
    ['connected', 'closed'],
  ],
  ['a huge length after the connect frame', Buffer.concat([handshake(), int(1 << 30)]), ['closed']],
];

for (const [what, bytes, lines] of BAD_OPENINGS) {
  test(`${what}: ${lines.join(', ')}; other clients are still served`, () => {
    const world = new ServerWorld();
    const other = world.client();
    const peer = world.connect();
    peer.push(bytes);
    world.ackAll();
    assert.equal(peer.take(), lines);
    checkServed(world, other);
  });
}

/** Input of a client with a session, and the resulting events. */
const BAD_REQUESTS: readonly (readonly [
  what: string,
  send: (peer: Peer) => Buffer,
  lines: string[],
])[] = [
  ['a negative length', () => int(-1), ['closed']],
  ['a huge length', () => int(0x7fff_ffff), ['closed']],
  ['an empty frame', () => int(0), ['closed']],
  ['half a header', () => framed(int(1)), ['closed']],
  ['an unknown operation', (peer) => peer.request(999), ['op 999 UNIMPLEMENTED', 'closed']],
  ['check alone', (peer) => peer.request(OpCode.check, CHECK), ['check UNIMPLEMENTED', 'closed']],
  [
    'an operation reserved for servers',
    (peer) => peer.request(OpCode.deleteContainer),
    ['deleteContainer UNIMPLEMENTED', 'closed'],
  ],
  ['auth cut short', () => UNFINISHED_AUTH, ['closed']],
  [
    'an unknown auth scheme',
    (peer) => peer.request(OpCode.auth, { type: 0, scheme: 'magic', auth: null }),
    ['auth AUTHFAILED', 'closed'],
  ],
  ['a read without a body', (peer) => peer.bare(OpCode.getData), ['getData MARSHALLINGERROR']],
  ['a write without a body', (peer) => peer.bare(OpCode.create), ['create MARSHALLINGERROR']],
  ['a multi without its end record', (peer) => peer.bare(OpCode.multi), ['multi MARSHALLINGERROR']],
  [
    'setWatches without a body',
    (peer) => peer.bare(OpCode.setWatches),
    ['setWatches MARSHALLINGERROR'],
  ],
];

const CHECK = { path: '/', version: -1 };

for (const [what, send, lines] of BAD_REQUESTS) {
  test(`${what}: ${lines.join(', ')}; other clients are still served`, () => {
    const world = new ServerWorld();
    const [other, peer] = [world.client(), world.client()];
    peer.push(send(peer));
    world.ackAll();
    assert.equal(peer.take(), lines);
    if (!peer.isClosed) checkServed(world, peer);
    checkServed(world, other);
  });
}

function checkServed(world: ServerWorld, peer: Peer): void {
  peer.take();
  peer.push(Buffer.concat([peer.create('/ok-'.concat(String(peer.id))), peer.ping()]));
  world.ackAll();
  assert.equal(peer.take(), ['create ok', 'ping ok']);
}

test.run();
