/** A server whose clients use up its open files (ulimit -n). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/zookeeper.js';
import { runZkserver } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

const FILES = 192;

test('connections up to the limit of open files leave the log and the AdminServer theirs', async () => {
  const home = makeTempDir('open-files');
  const [port, adminPort] = [await freePort(), await freePort()];
  const flags = {
    'zookeeper.admin.serverPort': adminPort,
    'zookeeper.admin.serverAddress': '127.0.0.1',
    'zookeeper.snapCount': 10,
    maxClientCnxns: 0,
  };
  const server = runZkserver(
    [
      'start-foreground',
      ...Object.entries(flags).map(([name, value]) => `-D${name}=${value}`),
      `${port}`,
      home.path,
    ],
    ['sh', '-c', `ulimit -n ${FILES} && exec "$@"`, 'sh'],
  );
  const sockets: Socket[] = [];
  const client = createClient({ connectString: `127.0.0.1:${port}` });
  try {
    await waitFor('the server to serve', () => /serving on /.test(server.output()));
    assert.match(server.output(), /at most 96 client connections/);
    await client.connect();
    for (let at = 0; at < FILES + 50; at++) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    const report = `"limit":"${'reservedFiles'}"`;
    await waitFor('the report', () => server.output().includes(report));
    // Each few writes begin another file of the log, and a snapshot.
    for (let at = 0; at < 60; at++) await client.create(`/n${at}`);
    const answer = await fetch(`http://127.0.0.1:${adminPort}/commands/ruok`);
    assert.is(answer.status, 200);
    assert.is(server.process.exitCode, null, server.output());
    assert.not.match(server.output(), /EMFILE/);
  } finally {
    for (const socket of sockets) socket.destroy();
    await client.close();
    await server.stop();
    home.remove();
  }
});

test.run();
