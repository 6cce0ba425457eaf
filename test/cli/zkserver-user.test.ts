/** A server under a user id without an entry in /etc/passwd, as containers may have. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { runZkserver } from '../support/bundled.js';
import { namespaceTest } from '../support/machine/namespaces.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

namespaceTest('a server needs no name for its user', async () => {
  const home = makeTempDir('user');
  const options = ['zookeeper.admin.enableServer=false', 'zookeeper.4lw.commands.whitelist=*'];
  const server = runZkserver(
    ['start-foreground', '0', join(home.path, 'data'), ...options.flatMap((one) => ['-D', one])],
    ['unshare', '--map-user=54321'],
  );
  try {
    const [, port] = await waitFor('the server to serve', () => {
      if (server.process.exitCode !== null) throw new Error(server.output());
      return /serving on .*:(\d+),/.exec(server.output());
    });
    const envi = `${await askWord({ host: '127.0.0.1', port: Number(port) }, 'envi')}`;
    assert.match(envi, /^user\.name=\?$/m);
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

test.run();
