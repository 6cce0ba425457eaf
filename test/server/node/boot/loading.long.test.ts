import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../../src/files/snapshot.js';
import { NO_STAT } from '../../../../src/protocol/data.js';
import { runZkserver } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { runZkops } from '../../../support/terminal/run-zkops.js';
import { waitFor } from '../../../support/wait-for.js';

/** So many that every machine needs more than a second. */
const ZNODES = 3_000_000;

function* nodes() {
  const stat = { ...NO_STAT, pzxid: 8n };
  for (const path of ['', '/zookeeper', '/zookeeper/quota', '/d']) {
    yield { path, data: null, aclKey: -1n, stat };
  }
  const data = Buffer.alloc(20);
  for (let at = 0; at < ZNODES; at++) yield { path: `/d/${at}`, data, aclKey: -1n, stat };
}

test('while a server reads its data, its port tells how much it has read', async () => {
  const home = makeTempDir('loading');
  const port = await freePort();
  mkdirSync(join(home.path, 'version-2'));
  const snapshot = writeSnapshot({ zxid: 9n, sessions: [], acls: [], nodes: nodes() });
  await pipeline(
    Readable.from(snapshot),
    createWriteStream(join(home.path, 'version-2', 'snapshot.9')),
  );
  const server = runZkserver([
    'start-foreground',
    '-Dzookeeper.admin.enableServer=false',
    `${port}`,
    home.path,
  ]);
  const said: string[] = [];
  const ask = async () => {
    const { exitCode, out, error } = await runZkops(['srvr', '--servers', `127.0.0.1:${port}`]);
    said.push(out + error);
    return exitCode === 0;
  };
  try {
    await waitFor('the server to serve', ask, 60_000);
    assert.match(
      said.join(' ').replaceAll(/\s+/g, ' '),
      /serves no requests: it has loaded \d+ % of its data/,
    );
  } finally {
    await server.stop();
    home.remove();
  }
});

test.run();
