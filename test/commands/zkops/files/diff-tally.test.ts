import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { taskJson } from '../call-task.js';
import { withFiles } from './log-files.js';
import { makeSnapshot } from './make-snapshot.js';

const node = (path: string, length: number) => ({ path, data: Buffer.alloc(length, 'x') });
const FILES = {
  'snapshot.5': makeSnapshot({
    nodes: [node('', 0), node('/a', 10), node('/a/old', 5), node('/b', 10), node('/b/big', 100)],
  }),
  'snapshot.9': makeSnapshot({
    nodes: [
      node('', 0),
      node('/a', 12),
      node('/a/x', 5),
      node('/a/y', 5),
      node('/a/y/z', 5),
      node('/b', 10),
      node('/b/big', 130),
    ],
  }),
};

async function listed(...options: string[]): Promise<unknown> {
  let found: unknown;
  await withFiles(FILES, async (path) => {
    const args = ['snap', 'diff', path('snapshot.5'), path('snapshot.9'), ...options];
    const { rows, totals, exitCode } = await taskJson(args);
    assert.equal(totals, { added: 3, removed: 1, changed: 2 }, 'the totals count everything');
    assert.is(exitCode, 1);
    found = rows.map((row) => [row['change'], row['path'], row['what']].join(' '));
  });
  return found;
}

test('--min-bytes lists znodes by the difference of their data', async () => {
  assert.equal(await listed('--min-bytes', '6'), ['changed /b/big data 100 bytes to 130 bytes']);
  const more = await listed('--min-bytes', '5');
  assert.is(Array.isArray(more) && more.length, 5);
});

test('--min-nodes lists subtrees that grew or shrank, down to the smallest', async () => {
  assert.equal(await listed('--min-nodes', '2'), ['subtree / +2 znodes', 'subtree /a +2 znodes']);
  assert.equal(await listed('--min-nodes', '3'), []);
});

test('both options list what either of them does', async () => {
  assert.equal(await listed('--min-bytes', '30', '--min-nodes', '1'), [
    'changed /b/big data 100 bytes to 130 bytes',
    'subtree / +2 znodes',
    'subtree /a +2 znodes',
    'subtree /a/y +1 znode',
  ]);
});

test.run();
