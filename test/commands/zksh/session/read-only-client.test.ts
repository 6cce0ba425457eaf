import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandError } from '../../../../src/commands/program/command-error.js';
import { readOnlyClient } from '../../../../src/commands/zksh/session/read-only-client.js';
import { FakeClient } from '../../../support/peers/fake-client.js';

test('a read-only client sends no change for any caller', async () => {
  const inner = new FakeClient();
  await inner.create('/a', Buffer.from('x'));
  inner.calls.length = 0;
  const client = readOnlyClient(inner);
  for (const change of [
    () => client.create('/b'),
    () => client.delete('/a'),
    () => client.setData('/a', null),
    () => client.setACL('/a', []),
    () => client.multi([]),
    () => client.reconfig({}),
  ]) {
    const error = await change().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof CommandError && error.code === 'READONLY');
  }
  assert.equal(inner.calls, []);
  assert.is((await client.getData('/a')).data?.toString(), 'x');
  assert.is(client.sessionId, inner.sessionId);
});

test.run();
