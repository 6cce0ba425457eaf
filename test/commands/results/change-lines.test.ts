import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change, ZnodeValue } from '../../../src/commands/results/change.js';
import { changeLines } from '../../../src/commands/results/change-lines.js';
import { FakeClient } from '../../support/peers/fake-client.js';

type Data = string | Buffer | null;

async function changed(before: Data, after: Data, more: Partial<Change> = {}): Promise<string> {
  const client = new FakeClient();
  const bytes = (data: Data) => (typeof data === 'string' ? Buffer.from(data) : data);
  await client.create('/a', bytes(before));
  const old: ZnodeValue = await client.getData('/a');
  await client.setData('/a', bytes(after));
  const fresh: ZnodeValue = await client.getData('/a');
  return changeLines({
    type: 'NodeDataChanged',
    path: '/a',
    zxid: 1n,
    isFoundLate: false,
    isAlreadyReported: false,
    before: old,
    after: fresh,
    ...more,
  });
}

const HEAD = 'NodeDataChanged /a (version 0 to 1)\n';

test('of many lines, only those that differ are shown, with one line of context', async () => {
  const before = Array.from({ length: 9 }, (_, i) => `line ${i}`);
  const after = before.with(2, 'two').with(7, 'seven');
  assert.is(
    await changed(before.join('\n'), after.join('\n')),
    `${HEAD}    line 1\n  - line 2\n  + two\n    line 3\n  …\n    line 6\n  - line 7\n  + seven\n    line 8\n`,
  );
});

test('JSON on one line is compared by its parts', async () => {
  const value = { name: 'a service with a name', port: 8080, tags: ['one', 'two'], debug: false };
  const text = await changed(JSON.stringify(value), JSON.stringify({ ...value, port: 8081 }));
  assert.is(
    text,
    `${HEAD}    "name": "a service with a name",\n  -   "port": 8080,\n  +   "port": 8081,\n    "tags": [\n`.replace(
      /^ {4}"/gm,
      '      "',
    ),
  );
});

test('bytes that are not text are shown as their length and start', async () => {
  assert.is(
    await changed(Buffer.from([0, 1, 0xff]), Buffer.alloc(20, 7)),
    `${HEAD}  - 3 bytes: 0001ff\n  + 20 bytes: ${'07'.repeat(16)}…\n`,
  );
});

test('a change longer than the screen is cut with a note', async () => {
  const text = await changed('', Array.from({ length: 50 }, (_, i) => `${i}`).join('\n'));
  const lines = text.trimEnd().split('\n');
  assert.is(lines.length, 21);
  assert.is(lines.at(-1), '  … 31 more lines');
});

test('null data and an unknown previous value are shown differently', async () => {
  assert.is(await changed(null, ''), HEAD);
  assert.is(
    await changed('x', 'y', { before: undefined }),
    'NodeDataChanged /a (version 1, previous value unknown)\n  + y\n',
  );
  assert.is(
    await changed('x', 'y', { after: null }),
    'NodeDataChanged /a (deleted before it was read)\n  - x\n',
  );
});

test.run();
