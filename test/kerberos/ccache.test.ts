/** Caches made by hand; conformance/kerberos-client.test.ts reads those of kinit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCredentialCache } from '../../src/kerberos/ccache.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import { makeCache } from './make-cache.js';

for (const format of [3, 4] as const) {
  test(`format ${format}: the ticket, its key and times, and no settings`, () => {
    const { principal, credentials } = parseCredentialCache(makeCache(format));
    assert.is(principal, 'alice@EXAMPLE.TEST');
    assert.equal(credentials, [
      {
        client: 'alice@EXAMPLE.TEST',
        service: 'krbtgt/EXAMPLE.TEST@EXAMPLE.TEST',
        ticket: Buffer.from('ticket'),
        key: { enctype: 18, bytes: Buffer.alloc(32, 7) },
        startMs: 2_000_000,
        endMs: 3_000_000,
      },
    ]);
  });

  test(`format ${format}: each cut is an error, or the end of a ticket`, () => {
    const whole = makeCache(format);
    for (let end = 0; end < whole.length; end++) {
      try {
        const { credentials } = parseCredentialCache(whole.subarray(0, end));
        assert.ok(credentials.length <= 1);
      } catch (error) {
        assert.match(String(error), /KerberosError: (damaged credential cache|not a credential)/);
      }
    }
  });
}

test('other files are refused', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('0502', 'hex'), Buffer.from('alice:secret')]) {
    assert.throws(() => parseCredentialCache(bytes), /expected format 0x0503 or 0x0504, as kinit/);
  }
  const many = new ByteBuilder().byte(5).byte(3).int(1).int(0x7fff_ffff).build();
  assert.throws(() => parseCredentialCache(many), /ends too early/);
});

test.run();
