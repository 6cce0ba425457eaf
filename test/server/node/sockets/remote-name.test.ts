import { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressOf, nameOf } from '../../../../src/server/node/sockets/remote-name.js';

test('a socket that is closed or detached from its request has a name too', () => {
  for (const gone of [null, new Socket()]) {
    assert.is(addressOf(gone), 'an unknown address');
    assert.is(nameOf(gone), 'an unknown address');
  }
});

test('an IPv4 client of a dual-stack socket is named by its IPv4 address', () => {
  const remote = { remoteAddress: '::ffff:10.0.0.7', remotePort: 4711 };
  assert.is(addressOf(remote), '10.0.0.7');
  assert.is(nameOf(remote), '10.0.0.7:4711');
});

test.run();
