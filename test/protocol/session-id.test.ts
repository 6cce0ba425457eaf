// conformance: runs against Apache's server, too.
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { containerOwner } from '../../src/protocol/create-mode.js';
import {
  formatSessionId,
  initialSessionId,
  sessionPassword,
} from '../../src/protocol/session-id.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

/** java.util.Random(id ^ 0xB3415C00).nextBytes(16), step by step in whole numbers. */
function javaRandomBytes(sessionId: bigint): Buffer {
  const modulus = 1n << 48n;
  const seed = sessionId ^ 0xb3415c00n ^ 0x5deece66dn;
  let state = ((seed % modulus) + modulus) % modulus;
  const bytes = Buffer.alloc(16);
  for (let at = 0; at < 16; ) {
    state = (state * 0x5deece66dn + 0xbn) % modulus;
    for (let i = 0, word = state / 65536n; i < 4; i++, word /= 256n)
      bytes[at++] = Number(word % 256n);
  }
  return bytes;
}

test('a password is what Java would draw for it', () => {
  for (const id of [0n, 1n, -1n, 0x1000_01ab_cdef_0000n, -0x8000_0000_0000_0000n, 1n << 62n]) {
    assert.equal(sessionPassword(id), javaRandomBytes(id), formatSessionId(id));
  }
});

interface Opened {
  readonly id: bigint;
  readonly password: Buffer;
}

/** A connect request in bytes of its own, and what the server made of it. */
function openSession(port: number): Promise<Opened> {
  const request = new ByteBuilder()
    .int(0)
    .long(0n)
    .int(10_000)
    .long(0n)
    .buffer(Buffer.alloc(16))
    .bool(false)
    .build();
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(new ByteBuilder().buffer(request).build());
    });
    let answer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      // length 37: version, timeout, id, password, readOnly
      if (answer.length < 4 + 37) return;
      socket.destroy();
      resolve({ id: answer.readBigInt64BE(12), password: answer.subarray(24, 40) });
    });
    socket.once('error', reject);
  });
}

oracleTest("passwords are those of Apache's server, whose ids count up", async () => {
  const oracle = await startOracle();
  try {
    const first = await openSession(oracle.port);
    const second = await openSession(oracle.port);
    assert.equal(first.password, sessionPassword(first.id));
    assert.equal(second.password, sessionPassword(second.id));
    assert.is(second.id, first.id + 1n);
  } finally {
    await oracle.close();
  }
});

test('the first id of a server is its sid and the clock', () => {
  assert.is(initialSessionId(1, 0), 0x0100_0000_0000_0000n);
  assert.is(initialSessionId(0, 1), 0x0000_0000_0001_0000n);
  assert.is(initialSessionId(0, 0x12_3456_789a), 0x0012_3456_789a_0000n);
  // Bits of the clock beyond the 40th fall out (SessionTrackerImpl shifts by 24, then back by 8).
  assert.is(initialSessionId(0, 0xab_12_3456_789a), 0x0012_3456_789a_0000n);
  // The sid's top bit is the sign of the id; the mark of containers is not a session.
  assert.is(initialSessionId(0x80, 1), -0x7fff_ffff_ffff_0000n);
  assert.is(initialSessionId(0x80, 0), containerOwner() + 1n);
  assert.is(initialSessionId(254, 1), -0x01ff_ffff_ffff_0000n);
  assert.is(initialSessionId(256 + 2, 0), 0x0200_0000_0000_0000n);
});

test('a server that starts later begins with a higher id', () => {
  const now = 1_700_000_000_000;
  assert.ok(initialSessionId(3, now + 1) > initialSessionId(3, now));
  assert.is(initialSessionId(3, now + 1) - initialSessionId(3, now), 65_536n);
});

test('an id is printed unsigned, in hex', () => {
  assert.is(formatSessionId(0x1000_0000_0000_0001n), '0x1000000000000001');
  assert.is(formatSessionId(-1n), '0xffffffffffffffff');
  assert.is(formatSessionId(0n), '0x0');
});

test.run();
