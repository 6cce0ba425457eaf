import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatIp, matchesIp, parseIp, parseIpRange } from '../../src/protocol/ip-address.js';

for (const [text, bytes, bits] of [
  ['10.0.0.1', [10, 0, 0, 1], 32],
  ['0.0.0.0/0', [0, 0, 0, 0], 0],
  ['255.255.255.255/32', [255, 255, 255, 255], 32],
  ['::1', [...new Array<number>(15).fill(0), 1], 128],
  ['fe80::/10', [0xfe, 0x80, ...new Array<number>(14).fill(0)], 10],
  ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], 128],
  ['::', new Array<number>(16).fill(0), 128],
] as const) {
  test(`${text} is a range`, () => {
    assert.equal(parseIpRange(text), { bytes, bits });
  });
}

for (const text of [
  '',
  'localhost',
  '10.0.0',
  '10.0.0.0.1',
  '10.0.0.256',
  '10.0.0.-1',
  '10.0.0.1/33',
  '10.0.0.1/-1',
  '10.0.0.1/',
  '10.0.0.1/8/8',
  '10.0.0.1/x',
  '::1/129',
  '1:2:3',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8',
  'fe80::12345',
  'fe80::g',
  '10.0.0.1 ',
  `10.0.0.${'0'.repeat(100)}1`,
]) {
  test(`"${text}" is invalid`, () => {
    assert.is(parseIpRange(text), undefined);
  });
}

for (const [ip, range, isWithin] of [
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.2', '10.0.0.1', false],
  ['10.200.3.4', '10.0.0.0/8', true],
  ['11.0.0.1', '10.0.0.0/8', false],
  ['10.0.0.127', '10.0.0.0/25', true],
  ['10.0.0.128', '10.0.0.0/25', false],
  ['192.168.1.7', '192.168.1.6/31', true],
  ['192.168.1.8', '192.168.1.6/31', false],
  ['1.2.3.4', '0.0.0.0/0', true],
  // Bits after the prefix do not count, as in Apache's IPAuthenticationProvider.
  ['10.9.9.9', '10.1.2.3/8', true],
  ['::1', '::1', true],
  ['0:0:0:0:0:0:0:1', '::1', true],
  ['fe80::1', 'fe80::/10', true],
  ['fec0::1', 'fe80::/10', false],
  ['::1', '127.0.0.1', false],
  ['127.0.0.1', '::/0', false],
  ['nonsense', '0.0.0.0/0', false],
  ['10.0.0.1', 'nonsense', false],
] as const) {
  test(`${ip} is ${isWithin ? '' : 'not '}within ${range}`, () => {
    assert.is(matchesIp(ip, range), isWithin);
  });
}

for (const [text, shown] of [
  ['10.0.0.1', '10.0.0.1'],
  ['010.0.0.01', '10.0.0.1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['FE80::0abc:1', 'fe80:0:0:0:0:0:abc:1'],
  ['::ffff:10.0.0.1', undefined],
  ['fe80::1%eth0', undefined],
] as const) {
  test(`${text} is shown as ${shown}`, () => {
    const bytes = parseIp(text);
    assert.is(bytes && formatIp(bytes), shown);
  });
}

test.run();
