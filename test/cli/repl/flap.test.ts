/** The real shell with a server whose connections end right after their first reply. */
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startServer } from '../../../src/server/main.js';
import { freePort } from '../../support/machine/free-port.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { startTerminal, terminalTest } from '../../support/terminal/terminal.js';
import { waitFor } from '../../support/wait-for.js';

const ZKSH = fileURLToPath(new URL('../../../bin/zksh.cjs', import.meta.url));
const FLAPS = 8;

/** Cuts the first connections that reply, each after some turns of the event loop. */
function flapping(to: number) {
  const sockets = new Set<Socket>();
  let flaps = 0;
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.once('data', () => {
      const cut = (turns: number): void => {
        if (turns > 0) setImmediate(cut, turns - 1);
        else client.destroy();
      };
      if (flaps++ < FLAPS) cut(flaps);
    });
    upstream.pipe(client);
  });
  return {
    server,
    /** Resolves at the first connection that stays. */
    isOver: () => flaps > FLAPS,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

terminalTest('the shell survives connections that end right after the first reply', async () => {
  const home = makeTempDir('flap');
  const running = await startServer();
  const { server, isOver, close } = flapping(running.port);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // Without its own config, it queries the role for the prompt.
  const env = {
    ZKSH_HISTFILE: `${home.path}/history`,
    ZKSH_CONFIG: `${home.path}/none`,
    PAGER: '',
  };
  const command = [process.execPath, ZKSH, `127.0.0.1:${port}`];
  const terminal = await startTerminal({ command, env });
  try {
    await waitFor('the last connection', isOver);
    await terminal.type('ls /');
    await terminal.press('Enter');
    await terminal.waitForRow(/^\[zookeeper\]$/);
  } finally {
    await terminal.close();
    close();
    await running.close();
    home.remove();
  }
});

test.run();
