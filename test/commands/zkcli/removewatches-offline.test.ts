// removewatches -l while no server is there: the watch is gone when the client is back.
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { runZkCli } from '../../../src/commands/zkcli/main.js';
import { startBundled } from '../../support/bundled.js';
import { freePort } from '../../support/machine/free-port.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { makeServedShell } from '../../support/terminal/served-shell.js';
import { waitFor } from '../../support/wait-for.js';

/** A server on one port that goes away, and comes back with its data. */
async function withServer(
  use: (world: {
    readonly target: string;
    stop(): Promise<void>;
    start(): Promise<void>;
    /** Changes /a, then /b, by another client. */
    change(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const home = makeTempDir();
  const port = await freePort();
  const target = `127.0.0.1:${port}`;
  const boot = () => startBundled({ port, dataDir: home.path });
  let server = await boot();
  const other = createClient({ connectString: target });
  try {
    await other.connect();
    for (const path of ['/a', '/b']) await other.create(path, null);
    await use({
      target,
      stop: () => server.close(),
      start: async () => {
        server = await boot();
      },
      change: async () => {
        for (const path of ['/a', '/b']) await other.setData(path, Buffer.from('new'));
      },
    });
  } finally {
    await other.close();
    await server.close();
    home.remove();
  }
}

test('removewatches -l of zksh --zkcli works without a server', () =>
  withServer(async ({ target, stop, start, change }) => {
    let out = '';
    const shows = (what: RegExp) => waitFor(String(what), () => what.test(out));
    async function* lines() {
      yield Buffer.from('addWatch /a\naddWatch /b\nget -s /b\n');
      await shows(/cversion = 0/);
      await stop();
      await shows(/state:Disconnected type:None path:null/);
      out = '';
      yield Buffer.from('removewatches /a -l\nremovewatches /none -l\n');
      await shows(/No such watcher for \/none/);
      assert.match(out, /type:PersistentWatchRemoved path:\/a/);
      await start();
      await shows(/state:SyncConnected type:None path:null/);
      await change();
      await shows(/type:NodeDataChanged path:\/b/);
      assert.not.match(out, /type:NodeDataChanged path:\/a/);
      yield Buffer.from('quit\n');
    }
    const collect = (text: string | Buffer) => {
      out += text;
    };
    await runZkCli(['-server', target, '-timeout', '30000'], {
      input: Readable.from(lines()),
      signal: new AbortController().signal,
      out: collect,
      err: collect,
    });
  }));

test('removewatches -l of zksh works without a server', () =>
  withServer(async ({ target, stop, start }) => {
    const shell = makeServedShell(target, 'builtin', { isInteractive: true });
    try {
      await shell.run('addWatch /a; addWatch /b');
      await stop();
      const remove = async (line: string) => (await shell.fully(line)).error?.code ?? 'removed';
      assert.is(await remove('removewatches -l /a'), 'removed');
      assert.is(await remove('removewatches -l /a'), 'NOWATCHER');
      await start();
      // The server has only the watch that the client set again.
      assert.is(await remove('removewatches /a'), 'NOWATCHER');
      assert.is(await remove('removewatches /b'), 'removed');
    } finally {
      await shell.close();
    }
  }));

test.run();
