import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeNotification,
  encodeNotification,
  type Notification,
} from '../../../../src/server/quorum/wire/notification.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';

const config = 'server.1=127.0.0.1:2888:3888:participant\nversion=0';

const sample: Notification = {
  state: 'leading',
  vote: { leader: 3, zxid: 0x1_0000_0007n, electionEpoch: 5n, peerEpoch: 2n },
  version: 2,
  config,
};

function wire(rest: (builder: ByteBuilder) => ByteBuilder): Buffer {
  return rest(new ByteBuilder().int(2).long(3n).long(0x1_0000_0007n).long(5n)).build();
}

const whole = wire((builder) => builder.long(2n).int(2).string(config));

test('a notification has the bytes of Apache’s', () => {
  assert.equal(encodeNotification(sample), whole);
  assert.equal(decodeNotification(whole), sample);
});

test('the vote of a server without one is preserved', () => {
  const nobody = { leader: -(2 ** 63), zxid: -(2n ** 63n), electionEpoch: 1n, peerEpoch: -1n };
  const asker: Notification = { ...sample, state: 'looking', vote: nobody };
  assert.equal(decodeNotification(encodeNotification(asker)), asker);
});

test('the older formats are read', () => {
  const { vote } = sample;
  const older = { ...sample, version: 0, config: undefined };
  assert.equal(
    decodeNotification(wire((builder) => builder)),
    { ...older, vote: { ...vote, peerEpoch: 1n } },
    'the epoch is that of the zxid',
  );
  assert.equal(decodeNotification(wire((builder) => builder.long(2n).int(9))), older);
  assert.equal(
    decodeNotification(wire((builder) => builder.long(2n).int(1).int(77))),
    { ...older, version: 1 },
    'version 1 has no configuration',
  );
});

test('every truncated notification gives an error text or an older format, never an exception', () => {
  for (let length = 0; length < whole.length; length++) {
    const found = decodeNotification(whole.subarray(0, length));
    const isOlder = length === 28 || length === 40;
    assert.is(typeof found, isOlder ? 'object' : 'string', `${length} bytes: ${found}`);
  }
});

test('an invalid notification is reported with its fault', () => {
  const changed = (at: number, value: number) => {
    const frame = Buffer.from(whole);
    frame.writeInt32BE(value, at);
    return String(decodeNotification(frame));
  };
  assert.is(changed(0, 4), 'invalid state: 4 (expected 0 to 3)');
  assert.is(changed(0, -1), 'invalid state: -1 (expected 0 to 3)');
  assert.match(changed(28, 0x7fff_ffff), /^invalid epoch: 9223\d+ \(expected at most 2147483647\)/);
  for (const length of [-1, config.length + 1, 0x7fff_ffff]) {
    assert.match(
      changed(40, length),
      /^invalid length of the configuration: -?\d+ \(expected at most \d+\)/,
    );
  }
  assert.is(decodeNotification(Buffer.alloc(3)), 'too short: 3 bytes (expected at least 28)');
});

test.run();
