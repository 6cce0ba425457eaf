import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LIMITS } from '../../../../src/server/limits/limits.js';
import { SlowRequests } from '../../../../src/server/node/admin/slow-requests.js';

const REQUEST = { kind: 'slow-request', sessionId: 7n, operation: 'CREA', ms: 1200 } as const;

test('the last slow requests are kept, and no other reports', () => {
  const slow = new SlowRequests();
  slow.add({ kind: 'session-closed', sessionId: 7n }, 1);
  slow.add({ ...REQUEST, path: undefined }, 5);
  const { kind: _, ...shown } = REQUEST;
  assert.equal(slow.list(), [{ ...shown, time: '1970-01-01T00:00:00.005Z', path: null }]);
  const { value: most } = LIMITS.slowRequestsKept;
  for (let at = 0; at < 2 * most; at++) slow.add({ ...REQUEST, path: `/${at}` }, at);
  assert.is(slow.list().length, most);
  assert.equal([slow.list()[0]?.path, slow.list().at(-1)?.path], [`/${most}`, `/${2 * most - 1}`]);
});

test.run();
