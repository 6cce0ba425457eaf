import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  encodePreamble,
  readPreamble,
} from '../../../../src/server/quorum/wire/election-preamble.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';

const V1 = -65536n;
const V2 = -65535n;

function preamble(version: bigint, sid: bigint, addresses: string): Buffer {
  return new ByteBuilder().long(version).long(sid).string(addresses).build();
}

const good: [name: string, bytes: Buffer, sid: number, addresses: [string, number][]][] = [
  ['one address', preamble(V1, 3n, 'zk3:3888'), 3, [['zk3', 3888]]],
  [
    'several addresses',
    preamble(V2, 3n, 'zk3:3888|10.0.0.3:3889'),
    3,
    [
      ['zk3', 3888],
      ['10.0.0.3', 3889],
    ],
  ],
  ['IPv6', preamble(V1, 7n, '[::1]:3888'), 7, [['::1', 3888]]],
  ['all addresses say nothing', preamble(V1, 7n, '0.0.0.0:3888'), 7, []],
  ['all IPv6 addresses', preamble(V2, 7n, '[::]:3888|[0:0:0:0:0:0:0:0]:1'), 7, []],
  ['before 3.5', new ByteBuilder().long(5n).build(), 5, []],
  ['a nameless observer', preamble(V1, 0x7fff_ffff_ffff_ffffn, 'zk9:1'), -1, [['zk9', 1]]],
];

for (const [name, bytes, sid, addresses] of good) {
  test(`reads a preamble, whole and byte by byte: ${name}`, () => {
    const expected = {
      kind: 'preamble',
      preamble: { sid, addresses: addresses.map(([host, port]) => ({ host, port })) },
      length: bytes.length,
    };
    assert.equal(readPreamble(bytes), expected);
    assert.equal(readPreamble(Buffer.concat([bytes, Buffer.from('frames')])), expected);
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(readPreamble(bytes.subarray(0, length)), { kind: 'need-more' });
    }
  });
}

const bad: [name: string, bytes: Buffer, reason: RegExp][] = [
  ['another version', preamble(-65534n, 1n, 'a:1'), /unknown protocol version: -65534/],
  ['an HTTP request', Buffer.from('\x80ET / HTTP/1.1\r\n', 'latin1'), /version/],
  ['no address', preamble(V1, 1n, ''), /address length: 0 \(expected 1 to 2048 bytes\)/],
  [
    'an endless address',
    new ByteBuilder().long(V1).long(1n).int(2049).build(),
    /address length: 2049 /,
  ],
  ['a negative length', new ByteBuilder().long(V1).long(1n).int(-1).build(), /address length: -1 /],
  ['no port', preamble(V1, 1n, 'zk1'), /address: "zk1" \(expected host:port\)/],
  ['a port above the maximum', preamble(V1, 1n, 'zk1:65536'), /host:port/],
  ['a port that is not a number', preamble(V1, 1n, 'zk1:http'), /host:port/],
  ['a negative server', preamble(V1, -2n, 'zk1:1'), /invalid server id: -2/],
  ['a server number above the maximum', preamble(V1, 1n << 60n, 'zk1:1'), /invalid server id/],
];

for (const [name, bytes, reason] of bad) {
  test(`refuses ${name}`, () => {
    const result = readPreamble(bytes);
    assert.is(result.kind, 'invalid');
    assert.match(result.kind === 'invalid' ? result.reason : '', reason);
  });
}

test('writes the format that Apache reads: one address, or several if the ensemble has them', () => {
  const addresses = [
    { host: 'zk3', port: 3888 },
    { host: '::1', port: 3889 },
  ];
  assert.equal(encodePreamble({ sid: 3, addresses }, false), preamble(V1, 3n, 'zk3:3888'));
  assert.equal(
    encodePreamble({ sid: 3, addresses }, true),
    preamble(V2, 3n, 'zk3:3888|[::1]:3889'),
  );
});

test.run();
