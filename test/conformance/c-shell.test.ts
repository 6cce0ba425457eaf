/** Apache's C shell (cli_mt of zookeeper-bin) against the bundled server. */
import { spawn } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { C_SHELL, oracleTest } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { Dialogue } from './support/dialogue.js';
import { RawClient } from './support/raw-client.js';

const READ_ONLY = [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }];

oracleTest("Apache's C shell works on the bundled server", async () => {
  const server = await startBundled();
  const raw = await RawClient.connect(server.port);
  const shell = new Dialogue(spawn(C_SHELL, [server.connectString]));
  try {
    await shell.ask('create /c', /Creating \[\/c\] node[\s\S]*rc = 0/);
    assert.match(await shell.ask('get /c', /value_len = [\s\S]*ephemeralOwner/), 'version=0');
    // It prints no result, but its watch is set before the set arrives.
    shell.say('wget /c');
    await shell.ask(
      'set /c world',
      /CHANGED_EVENT state = CONNECTED_STATE for path \/c\n[\s\S]*\/c: rc = 0/,
    );
    assert.match(await shell.ask('get /c', /value_len = 5[\s\S]*ephemeralOwner/), 'world');
    // It prints no result for an existing znode.
    shell.say('exists /c');
    await shell.ask('wexists /later', /Error -101 for \/later/);
    await shell.ask('create /later', /CREATED_EVENT state = CONNECTED_STATE for path \/later/);

    await shell.ask('create +s /cs-', /rc = 0/);
    await shell.ask('create +s /cs-', /rc = 0/);
    await shell.ask('create +e /ce', /rc = 0/);
    const listed = await shell.ask('ls /', /time = /);
    assert.match(listed, /cs-\d{10}\n[\s\S]*cs-\d{10}\n/);
    assert.match(listed, /\tce\n/);
    await shell.ask('create /ce/child', /rc = -108/);

    await raw.call(OpCode.create, { path: '/locked', data: null, acl: READ_ONLY, flags: 0 });
    await shell.ask('set /locked no', /rc = -102/);
    await shell.ask('create /locked/no', /rc = -102/);
    await shell.ask('get /locked', /\/locked: rc = 0/);

    await shell.ask('delete /c', /rc = 0/);
    await shell.ask('get /c', /rc = -101/);
    await shell.ask('delete /none', /rc = -101/);
    await shell.ask('sync /', /rc = 0/);

    shell.say('quit');
    assert.is(await shell.ended, 0, shell.err);
    await waitFor('the ephemeral to vanish', async () => {
      const { err } = await raw.call(OpCode.exists, { path: '/ce', watch: false });
      return err === -101;
    });
  } finally {
    await shell.kill();
    await raw.drop();
    await server.close();
  }
});

test.run();
