import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LargeRequests } from '../../../src/server/limits/large-requests.js';

// The keys largeRequestThreshold and largeRequestMaxBytes.
test('requests above the threshold are large; -1: none', () => {
  const some = new LargeRequests({ threshold: 100, maxBytes: 250 });
  assert.not.ok(some.isLarge(100));
  assert.ok(some.isLarge(101));
  assert.not.ok(new LargeRequests({ threshold: -1, maxBytes: 0 }).isLarge(1 << 30));
});

test('their total size in flight is limited', () => {
  const large = new LargeRequests({ threshold: 100, maxBytes: 250 });
  assert.ok(large.fits(150));
  large.add(150);
  assert.ok(large.fits(100));
  assert.not.ok(large.fits(101));
  large.remove(150);
  assert.is(large.bytes, 0);
  assert.ok(large.fits(250));
});

test.run();
