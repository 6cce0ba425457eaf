import { truncateSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mustBeWhole } from '../../../../src/server/node/storage/whole-snapshot.js';
import { contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeDir } from './make-dir.js';

test('the written snapshot is read, and no other one', async () => {
  const home = makeTempDir('whole-snapshot');
  try {
    const dir = makeDir(home.path);
    await dir.prepare();
    const { database } = await dir.recover();
    const content = contentOf(database);
    const paths: string[] = [];
    for (const zxid of [1n, 2n]) paths.push((await dir.writeSnapshot({ ...content, zxid })).path);
    const [first = '', second = ''] = paths;
    truncateSync(first, 100);
    const verdict = (path: string): Promise<string> =>
      mustBeWhole(dir, path, new AbortController().signal).then(
        () => 'whole',
        (error: Error) => error.message,
      );
    assert.is(await verdict(second), 'whole');
    assert.match(await verdict(first), /was written, but is damaged .* Check the disk$/);
    assert.match(await verdict(`${second}-gone`), /was written, but is missing\. Check the disk$/);
  } finally {
    home.remove();
  }
});

test.run();
