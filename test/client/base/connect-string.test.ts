import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatServerAddress,
  parseConnectString,
  parseServerAddress,
} from '../../../src/client/base/connect-string.js';

for (const [text, servers, chroot] of [
  ['host', ['host:2181'], ''],
  ['host:1', ['host:1'], ''],
  ['a:1,b,c:65535', ['a:1', 'b:2181', 'c:65535'], ''],
  [' a:1 , b:2 ', ['a:1', 'b:2'], ''],
  ['[::1]', ['[::1]:2181'], ''],
  ['[2001:db8::1]:99,h', ['[2001:db8::1]:99', 'h:2181'], ''],
  ['a:1/app', ['a:1'], '/app'],
  ['a:1,b:2/app/sub', ['a:1', 'b:2'], '/app/sub'],
  ['a:1/', ['a:1'], ''],
  // As Apache's client.
  [',a:1, ,b:2,/app', ['a:1', 'b:2'], '/app'],
  ['a:1/app/', ['a:1'], '/app'],
] as const) {
  test(`"${text}" is ${servers.join(' and ')}${chroot && ` below ${chroot}`}`, () => {
    const parsed = parseConnectString(text);
    assert.equal(parsed.servers.map(formatServerAddress), servers);
    assert.is(parsed.chroot, chroot);
  });
}

for (const [text, fault] of [
  ['', 'server: invalid address: "" (expected host[:port])'],
  [',,', 'server: invalid address: "" (expected host[:port])'],
  ['a b', 'server: invalid address: "a b" (expected host[:port])'],
  ['a:x', 'server: invalid address: "a:x" (expected host[:port])'],
  ['a:', 'server: invalid address: "a:" (expected host[:port])'],
  ['::1', 'server: invalid address: "::1" (expected host[:port])'],
  ['a:0', 'invalid port: 0 in "a:0" (expected 1 to 65535)'],
  ['a:65536', 'invalid port: 65536 in "a:65536" (expected 1 to 65535)'],
  ['a:1/x//y', 'invalid chroot: /x//y: '],
  ['a:1/../y', 'invalid chroot: /../y: '],
] as const) {
  test(`"${text}" is refused: ${fault}`, () => {
    assert.throws(
      () => parseConnectString(text),
      (error: unknown) => error instanceof RangeError && error.message.includes(fault),
    );
  });
}

test('a displayed address parses to the same address', () => {
  for (const text of ['h:1', '[::1]:2', '10.0.0.1:65535']) {
    assert.is(formatServerAddress(parseServerAddress(text)), text);
  }
});

test.run();
