import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JuteError } from '../../../../src/jute/jute-error.js';
import {
  AuthStatus,
  encodeAuthPacket,
  isAuth,
  readAuthPacket,
} from '../../../../src/server/quorum/wire/auth-packet.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';

/** The value of -0xa0dbcafecafe1234L in Java. */
const MAGIC = BigInt.asIntN(64, -0xa0dbcafecafe1234n);

const PACKET = new ByteBuilder().long(MAGIC).int(-1).int(2).bytes(Buffer.from('no')).build();

const isJuteError = (error: Error): boolean => error instanceof JuteError;

test('a packet has magic, status, and token', () => {
  const packet = { status: AuthStatus.ERROR, token: Buffer.from('no') };
  assert.equal(encodeAuthPacket(packet), PACKET);
  assert.equal(readAuthPacket(Buffer.concat([PACKET, PACKET])), { packet, length: PACKET.length });
  for (let length = 0; length < PACKET.length; length++) {
    assert.is(readAuthPacket(PACKET.subarray(0, length)), null);
  }
});

test('a null token is an empty one', () => {
  const bytes = new ByteBuilder().long(MAGIC).int(1).int(-1).build();
  const packet = { status: AuthStatus.SUCCESS, token: Buffer.alloc(0) };
  assert.equal(readAuthPacket(bytes), { packet, length: 16 });
});

test('its first eight bytes differ from those of other packets', () => {
  assert.is(isAuth(PACKET.subarray(0, 7)), undefined);
  assert.is(isAuth(PACKET.subarray(0, 8)), true);
  const followerInfo = new ByteBuilder()
    .int(11)
    .long(1n << 32n)
    .build();
  assert.is(isAuth(followerInfo), false);
});

test('another packet, or one with a wrong length, is refused', () => {
  assert.throws(() => readAuthPacket(Buffer.alloc(16)), isJuteError);
  const long = new ByteBuilder()
    .long(MAGIC)
    .int(0)
    .int(1 << 30)
    .build();
  assert.throws(() => readAuthPacket(long), isJuteError);
});

test.run();
