import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import {
  checkSameEverywhere,
  leaderOf,
  modeOf,
  type Place,
} from '../conformance/support/same-everywhere.js';
import { type BundledProcess, runZkserver } from '../support/bundled.js';
import { makeNamespaces, type Namespace, namespaceTest } from '../support/machine/namespaces.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { withClient } from '../support/peers/seat-client.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { waitFor } from '../support/wait-for.js';

// Three machines, from the network's view. A member that is cut off gets no packets: no connection
// breaks, no port refuses, and its packets are lost.

interface Member extends Place {
  readonly space: Namespace;
  readonly process: Omit<BundledProcess, 'port'>;
}

const CLIENT_PORT = 2181;

function startMember(home: string, spaces: readonly Namespace[], at: number): Member {
  const space = spaces[at] as Namespace;
  const sid = at + 1;
  const dataDir = join(home, `${sid}`);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'myid'), `${sid}\n`);
  const configFile = `${dataDir}.cfg`;
  const lines = [
    `dataDir=${dataDir}`,
    `clientPort=${CLIENT_PORT}`,
    `clientPortAddress=${space.clientAddress}`,
    'tickTime=200',
    'initLimit=20',
    'syncLimit=5',
    'maxSessionTimeout=60000',
    'maxClientCnxns=0',
    'admin.enableServer=false',
    '4lw.commands.whitelist=*',
    ...spaces.map(({ address }, i) => `server.${i + 1}=${address}:2888:3888`),
  ];
  writeFileSync(configFile, `${lines.join('\n')}\n`);
  const process = runZkserver(['start-foreground', configFile], space.prefix);
  return { sid, space, process, connectString: `${space.clientAddress}:${CLIENT_PORT}` };
}

async function isServing(member: Member): Promise<boolean> {
  return (await modeOf(member)) !== undefined;
}

async function withMembers(
  body: (members: readonly Member[], writers: SteadyWriters) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('partition');
  const { all: spaces, remove } = makeNamespaces(3);
  const members: Member[] = [];
  let writers: SteadyWriters | undefined;
  try {
    for (const at of spaces.keys()) members.push(startMember(home.path, spaces, at));
    for (const member of members) await waitFor('a member', () => isServing(member), 60_000);
    const connectString = members.map((member) => member.connectString).join();
    writers = await SteadyWriters.start(connectString, 3);
    await body(members, writers);
  } catch (error) {
    const outputs = members.map(({ sid, process }) => `== ${sid}\n${process.output()}`);
    if (error instanceof Error) error.message += `\n${outputs.join('\n')}`;
    throw error;
  } finally {
    await writers?.close();
    await Promise.all(members.map(({ process }) => process.stop('SIGKILL')));
    remove();
    home.remove();
  }
}

/** The outcome of a write that is sent to this member only. */
function writeAlone(
  { connectString }: Member,
  path: string,
  data: string,
): { readonly opened: Promise<void>; write(): Promise<string>; close(): Promise<void> } {
  const client = createClient({ connectString });
  return {
    opened: client.connect(),
    write: () =>
      client.setData(path, Buffer.from(data)).then(
        () => 'acknowledged',
        (error: Error) => error.message,
      ),
    close: () => client.close(),
  };
}

namespaceTest('a leader that is cut off acknowledges nothing, and the others serve on', () =>
  withMembers(async (members, writers) => {
    const place = await waitFor('a leader', () => leaderOf(members));
    const leader = members.find(({ sid }) => sid === place.sid) as Member;
    const others = members.filter((member) => member !== leader);
    await withClient(leader, (client) => client.create('/cut', Buffer.from('before')));
    const alone = writeAlone(leader, '/cut', 'after the cut');
    await alone.opened;
    leader.space.cut();
    const outcome = alone.write();
    await waitFor('another leader', () => leaderOf(others), 60_000);
    await writers.goOn();
    await waitFor('the old one to give up', async () => !(await isServing(leader)));
    // The member has no quorum to commit, and no other member knows the write.
    await alone.close();
    assert.is.not(await outcome, 'acknowledged');
    leader.space.heal();
    await waitFor('the old leader to follow', async () => (await modeOf(leader)) === 'follower');
    await writers.goOn();

    const [follower] = others.filter(({ sid }) => sid !== place.sid);
    const next = await waitFor('the leader', () => leaderOf(members));
    const cut = follower?.sid === next.sid ? leader : (follower as Member);
    cut.space.cut();
    await waitFor('it to give up', async () => !(await isServing(cut)));
    await writers.goOn();
    cut.space.heal();
    await waitFor('it to follow', async () => (await modeOf(cut)) === 'follower');
    await writers.goOn();

    await writers.pause();
    await writers.checkKeptAt(members);
    for (const member of members) {
      const { data } = await withClient(member, (client) => client.getData('/cut'));
      assert.is(`${data}`, 'before', `server ${member.sid}`);
    }
    await checkSameEverywhere(members);
  }),
);

test.run();
