// The memory of a dump does not depend on the size of the tree: this heap cannot hold the whole
// tree.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../../src/client/zookeeper.js';
import { startServer } from '../../../../../src/server/main.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { runZksh } from '../../../../support/terminal/run-zksh.js';

/** 19 MB of data in total, 26 MB in base64. */
const [PARENTS, SIBLINGS, LENGTH] = [12, 100, 16_000];
const NODE_OPTIONS = '--max-old-space-size=20 --max-semi-space-size=1';

test('a tree that is larger than the heap is dumped, read, and searched', async () => {
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  const home = makeTempDir();
  try {
    await client.connect();
    await client.create('/t', null);
    for (let parent = 0; parent < PARENTS; parent++) {
      await client.create(`/t/p${parent}`, null);
      const creates = Array.from({ length: SIBLINGS }, (_, i) =>
        client.create(`/t/p${parent}/n${i}`, randomBytes(LENGTH)),
      );
      await Promise.all(creates);
    }
    const znodes = PARENTS * SIBLINGS + PARENTS + 1;
    const run = (line: string) => runZksh([server.connectString, '-c', line], '', { NODE_OPTIONS });
    for (const format of ['ndjson', 'json', 'yaml', 'dir']) {
      const file = join(home.path, format);
      const done = await run(`dump --format ${format} --to ${file} /t; restore -n ${file} /copy`);
      assert.equal([done.code, done.stderr], [0, ''], format);
      assert.match(done.stdout, new RegExp(`^Dumped ${znodes} znodes, .*\\n${znodes} znodes, `));
    }
    assert.is((await run('find -c --min-size 1 /t')).stdout.trim(), String(PARENTS * SIBLINGS));
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
});

test.run();
