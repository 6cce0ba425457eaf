import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/index.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';

const programOf = (name: string) => join(PROJECT_ROOT, 'dist', 'bin', `${name}.cjs`);

for (const name of ['zksh', 'zkops', 'zkserver']) {
  test(`${name} ends quietly when the reader of its output ends first`, () => {
    const command = `{ "$0" "$1" --help; echo "status $?" >&2; } | true`;
    const { stderr } = spawnSync('sh', ['-c', command, process.execPath, programOf(name)], {
      encoding: 'utf8',
    });
    assert.is(stderr, 'status 0\n');
  });
}

test('a server continues when the reader of its log ends', async () => {
  const home = makeTempDir('closed-pipe');
  const port = await freePort();
  const config = join(home.path, 'zoo.cfg');
  writeFileSync(
    config,
    `dataDir=${home.path}/data\nclientPort=${port}\nclientPortAddress=127.0.0.1\n` +
      'admin.enableServer=false\n4lw.commands.whitelist=*\n',
  );
  const server = spawn(process.execPath, [programOf('zkserver'), 'start-foreground', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ask = (word: string) => askWord({ host: '127.0.0.1', port }, word).then(String, () => '');
  try {
    await waitFor('the server', async () => (await ask('ruok')) === 'imok');
    server.stdout.destroy();
    server.stderr.destroy();
    // The server logs an exceeded limit, and the write to the closed pipe fails.
    const stranger = connect(port, '127.0.0.1', () => stranger.write(Buffer.alloc(8, 0x7f)));
    await once(stranger, 'close');
    await waitFor('the report', async () => (await ask('mntr')).includes('requestLength_limit'));
    assert.is(await ask('ruok'), 'imok');
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const [status] = await ended;
    assert.is(status, 0);
  } finally {
    server.kill('SIGKILL');
    home.remove();
  }
});

test.run();
