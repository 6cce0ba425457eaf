import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createNativeClient } from '../../../src/client/native/native.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { isServing } from '../../support/apache/oracle.js';
import { makeSeats, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { runZkserver, startBundled, startBundledEnsemble } from '../../support/bundled.js';
import { freePort } from '../../support/machine/free-port.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { runClientSuite } from './client-suite.js';
import { nativeTest } from './client-suite-native.js';
import type { SuiteServer } from './client-suite-world.js';

runClientSuite('the built-in client and the bundled server', {
  test,
  isNative: false,
  makeClient: createClient,
  startServer: () => startBundled({ config: { tickTime: '500' } }),
});

runClientSuite('the built-in client and an ensemble of three', {
  test,
  isNative: false,
  makeClient: createClient,
  startServer: async () => {
    const { connectString, members, close } = await startBundledEnsemble();
    return { port: members[0]?.port ?? 0, connectString, close };
  },
});

runClientSuite('the native client and the bundled server', {
  test: nativeTest,
  isNative: true,
  makeClient: createNativeClient,
  startServer: startProcess,
});

runClientSuite('the native client and an ensemble of three', {
  test: nativeTest,
  isNative: true,
  makeClient: createNativeClient,
  startServer: startProcesses,
});

async function startProcesses(): Promise<SuiteServer> {
  const seats = await makeSeats({ participants: 3 });
  const members = seats.all.map(({ sid }) => seats.startBundled(sid));
  try {
    for (const { seat } of members) await waitUntilServing(seat);
  } catch (error) {
    await seats.close();
    throw error;
  }
  return {
    port: seats.of(1).clientPort,
    connectString: seats.all.map((seat) => seat.connectString).join(),
    close: () => seats.close(),
  };
}

/** Starts a separate process, because the C client blocks this one while it closes a session. */
async function startProcess(): Promise<SuiteServer> {
  const home = makeTempDir('client-bundled');
  const port = await freePort();
  const file = join(home.path, 'zoo.cfg');
  const lines = [
    `dataDir=${home.path}`,
    'clientPortAddress=127.0.0.1',
    `clientPort=${port}`,
    'tickTime=500',
    'maxClientCnxns=0',
    'admin.enableServer=false',
    '4lw.commands.whitelist=*',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const server = runZkserver(['start-foreground', file]);
  const close = async (): Promise<void> => {
    await server.stop();
    home.remove();
  };
  try {
    await waitFor(`the bundled server on port ${port}`, () => {
      if (server.process.exitCode !== null) throw new Error(server.output());
      return isServing(port);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { port, connectString: `127.0.0.1:${port}`, close };
}

test.run();
