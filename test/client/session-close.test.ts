import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SessionHarness } from './session-harness.js';

test('close waits no longer than the timeout of a request', () => {
  const h = new SessionHarness({ requestTimeoutMs: 500 });
  h.establish();
  h.session.close(0);
  h.tick(499);
  assert.is(h.session.state, 'connected');
  h.tick(500);
  assert.is(h.session.state, 'closed');
});

test.run();
