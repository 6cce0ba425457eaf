// conformance: runs against Apache's server, too.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/index.js';
import {
  type Member,
  makeSeats,
  type Seats,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { waitFor } from '../support/wait-for.js';

const SENTENCE = /server 1: two connections claim its id/g;

async function word(port: number, name: string): Promise<string> {
  return `${await askWord({ host: '127.0.0.1', port }, name).catch(() => '')}`;
}

/** The zoo.cfg of server 1 with its own data, client port, and addresses, as on another host. */
async function copyOfServer1({ of }: Seats): Promise<{ file: string; port: number }> {
  const { home, configFile, dataDir, clientPort, quorumPort, electionPort } = of(1);
  const copy = join(home, 'copy');
  const port = await freePort();
  mkdirSync(copy);
  writeFileSync(join(copy, 'myid'), '1\n');
  const own = `127.0.0.1:${quorumPort}:${electionPort}`;
  const elsewhere = `127.0.0.1:${await freePort()}:${await freePort()}`;
  const text = readFileSync(configFile, 'utf8')
    .replace(dataDir, copy)
    .replace(`clientPort=${clientPort}`, `clientPort=${port}`)
    .replace(own, elsewhere);
  const file = join(home, 'copy.cfg');
  writeFileSync(file, text);
  return { file, port };
}

test('a second server with myid 1 ends no connection of the first, and the others report it', async () => {
  const seats = await makeSeats({ participants: 3 });
  let second: ReturnType<typeof runZkserver> | undefined;
  const client = createClient({ connectString: seats.of(1).connectString });
  try {
    const members: Member[] = seats.all.map(({ sid }) => seats.startBundled(sid));
    await Promise.all(seats.all.map(waitUntilServing));
    await client.connect();
    await client.create('/a', Buffer.alloc(0));
    const { sessionId } = client;
    const { file, port } = await copyOfServer1(seats);
    second = runZkserver(['start-foreground', file]);
    const said = () => members.map((member) => member.output().match(SENTENCE)?.length ?? 0);
    await waitFor('a warning about it', () => said().some((count) => count > 0));
    for (let i = 0; i < 200; i++) await client.setData('/a', Buffer.from(`${i}`));
    assert.is(client.sessionId, sessionId);
    assert.match(await word(seats.of(1).clientPort, 'srvr'), /Mode: follower/);
    for (const count of said()) assert.ok(count <= 2, `${said()}`);
    assert.match(await word(port, 'srvr'), /not currently serving requests|not serving/);
  } finally {
    await client.close().catch(() => undefined);
    await second?.stop('SIGKILL');
    await seats.close();
  }
});

test.run();
