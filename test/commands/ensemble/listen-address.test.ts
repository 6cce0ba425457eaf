import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseListenAddress } from '../../../src/commands/ensemble/listen-address.js';

test('--listen takes host:port, :port, and a port', () => {
  for (const [text, host, port] of [
    ['127.0.0.1:9141', '127.0.0.1', 9141],
    ['[::1]:9141', '::1', 9141],
    ['any:1', 'any', 1],
    [':9141', '::', 9141],
    ['*:9141', '::', 9141],
    [':0', '::', 0],
    ['9141', '127.0.0.1', 9141],
    ['localhost:0', 'localhost', 0],
  ] as const) {
    assert.equal(parseListenAddress(text), { host, port }, text);
  }
  for (const text of ['', ':', ':65536', '65536', '::1:9141', 'a b:1']) {
    assert.throws(() => parseListenAddress(text), RangeError, text);
  }
});

test.run();
