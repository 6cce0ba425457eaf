// The guides of docs, each with what it needs before, and what must be true after it.
import { createHash, randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { hasOracle } from '../support/apache/oracle.js';
import { withClient } from '../support/peers/seat-client.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import type { MachineName, Machines } from './machines.js';
import { blocksBelow, play, playAll } from './play.js';

export interface Guide {
  readonly name: string;
  /** It takes more than 45 s on two busy cores, so only `npm run guides` plays it. */
  readonly isSlow?: true;
  play(machines: Machines): Promise<void>;
}

const THREE: readonly MachineName[] = ['zk1', 'zk2', 'zk3'];
const SETTINGS = 'tickTime=500\ninitLimit=40\nsyncLimit=20\nmaxSessionTimeout=60000\n';

/** Makes the configurations of three members, with short timeouts. */
async function prepare(machines: Machines, more = ''): Promise<void> {
  for (const [at, name] of THREE.entries()) {
    await must(
      machines,
      name,
      `zkserver init /var/lib/zookeeper --servers ${THREE} --myid ${at + 1}
       sed -i '/^tickTime\\|^initLimit\\|^syncLimit/d' /var/lib/zookeeper/zoo.cfg
       printf '${SETTINGS}${more}' >>/var/lib/zookeeper/zoo.cfg`,
    );
  }
  await must(machines, 'ops', "printf 'zk1\\nzk2\\nzk3\\n' >hosts.txt");
}

async function deployed(machines: Machines, unit = 'zkserver', more = ''): Promise<void> {
  await prepare(machines, more);
  for (const name of THREE) await must(machines, name, `systemctl start ${unit}`);
  await must(machines, 'ops', 'until zkops health -q --ensemble hosts.txt; do sleep 0.2; done');
}

async function must(machines: Machines, name: MachineName, script: string): Promise<string> {
  const { status, output } = await machines.run(name, script);
  assert.is(status, 0, `${name}: ${script}\n${output}`);
  return output;
}

function seatsOf(machines: Machines, names: readonly MachineName[] = THREE) {
  return names.map((name, at) => ({ sid: at + 1, connectString: machines.clientOf(name) }));
}

/** Clients write during the work, and lose nothing that was acknowledged. */
async function underLoad(machines: Machines, work: () => Promise<unknown>): Promise<void> {
  const servers = THREE.map((name) => machines.clientOf(name)).join();
  const writers = await SteadyWriters.start(servers, 2);
  try {
    await work();
    await writers.goOn();
    await writers.pause();
    await writers.checkKeptAt(seatsOf(machines));
  } finally {
    await writers.close();
  }
}

const OPERATE = 'docs/operate.md';

async function rollingUpgrade(machines: Machines): Promise<void> {
  await deployed(machines);
  const pids = () => must(machines, 'ops', `cat ${machines.home}/zk*/zkserver.pid`);
  const before = (await pids()).trim().split('\n');
  await underLoad(machines, () => playAll(machines, OPERATE, 'Rolling upgrade'));
  const after = (await pids()).trim().split('\n');
  assert.is(after.filter((pid) => before.includes(pid)).length, 0);
}

async function migrate(machines: Machines): Promise<void> {
  if (!hasOracle) return;
  await deployed(machines, 'zookeeper');
  await underLoad(machines, async () => {
    await playAll(machines, 'docs/migrate.md', 'Migrate member by member');
    for (const name of THREE) await must(machines, name, 'test -f $MACHINE/zkserver.pid');
    await playAll(machines, 'docs/migrate.md', 'Migrate back');
  });
  for (const name of THREE) {
    await must(machines, name, 'test -f $MACHINE/zookeeper.pid');
    await must(machines, name, 'test ! -f $MACHINE/zkserver.pid');
  }
}

async function sasl(machines: Machines): Promise<void> {
  await deployed(machines);
  await underLoad(machines, () => playAll(machines, 'docs/sasl.md', 'Passwords for clients'));
  const output = await playAll(machines, 'docs/sasl.md', 'Passwords between members');
  assert.match(output, /HEALTHY/);
  await playAll(machines, 'docs/sasl.md', 'Refuse clients without a password');
}

async function scale(machines: Machines): Promise<void> {
  await deployed(machines);
  await underLoad(machines, async () => {
    await playAll(machines, OPERATE, 'Scale from three to five and back');
    await playAll(machines, OPERATE, 'Replace a member');
  });
}

/** Znodes that a guide must keep. */
async function fill(machines: Machines, count: number, bytes = 100): Promise<void> {
  await withClient({ connectString: machines.clientOf('zk1') }, async (client) => {
    await client.create('/app').catch(() => undefined);
    for (let at = 0; at < count; at++)
      await client.create('/app/n-', randomBytes(bytes), {
        mode: CreateModes.PERSISTENT_SEQUENTIAL,
      });
  });
}

/** Makes logs that grow, and snapshots that do not. */
async function overwrite(machines: Machines, count: number): Promise<void> {
  await withClient({ connectString: machines.clientOf('zk1') }, async (client) => {
    await client.create('/same').catch(() => undefined);
    for (let at = 0; at < count; at++) await client.setData('/same', randomBytes(2000));
  });
}

async function countAt(machines: Machines, name: MachineName): Promise<number> {
  return withClient({ connectString: machines.clientOf(name) }, async (client) => {
    await client.sync('/');
    return (await client.getChildren('/app')).children.length;
  });
}

async function lostQuorum(machines: Machines): Promise<void> {
  await deployed(machines);
  await fill(machines, 50);
  for (const name of ['zk2', 'zk3'] as const) {
    await must(machines, name, 'systemctl stop zkserver; rm -r /var/lib/zookeeper');
  }
  await playAll(machines, OPERATE, 'Recover from a lost quorum');
  for (const name of THREE) assert.is(await countAt(machines, name), 50);
}

async function fullDisk(machines: Machines): Promise<void> {
  await prepare(machines, 'snapCount=300\npreAllocSize=64\nautopurge.purgeInterval=0\n');
  machines.giveDisk('zk3', 6);
  for (const name of THREE) await must(machines, name, 'systemctl start zkserver');
  await must(machines, 'ops', 'until zkops health -q --ensemble hosts.txt; do sleep 0.2; done');
  const isDown = async () =>
    (await machines.run('zk3', 'kill -0 $(cat $MACHINE/zkserver.pid)')).status !== 0;
  while (!(await isDown())) await overwrite(machines, 200);
  await playAll(machines, OPERATE, 'Recover from a full disk');
}

async function damagedLog(machines: Machines): Promise<void> {
  await deployed(machines);
  await fill(machines, 50);
  await must(
    machines,
    'zk2',
    `systemctl stop zkserver
     log=$(ls /var/lib/zookeeper/log/version-2/log.* | tail -n 1)
     printf XXXXXXXX | dd of="$log" bs=1 seek=2000 conv=notrunc status=none`,
  );
  await playAll(machines, OPERATE, 'Recover from a damaged log');
  assert.is(await countAt(machines, 'zk2'), 50);
}

async function backUp(machines: Machines): Promise<void> {
  await prepare(machines);
  const digest = `super:${createHash('sha1').update('super:secret').digest('base64')}`;
  const line = `DigestAuthenticationProvider.superDigest=${digest}`;
  for (const name of THREE) {
    await must(machines, name, `echo ${line} >>/var/lib/zookeeper/zoo.cfg`);
    await must(machines, name, 'systemctl start zkserver');
  }
  await must(machines, 'ops', 'until zkops health -q --ensemble hosts.txt; do sleep 0.2; done');
  await fill(machines, 50);
  const moment = (await must(machines, 'ops', 'sleep 1.1; date -u +%FT%TZ; sleep 1.1')).trim();
  const [save, find, replace, saveLive, restoreLive] = blocksBelow(OPERATE, 'Back up and restore');
  await fill(machines, 7);
  await play(machines, save);
  await must(machines, 'ops', "zksh zk1 -c 'deleteall --yes /app'");
  const at = (text: string) => text.replaceAll('2026-01-31T12:00:00Z', moment);
  await play(machines, find, at);
  await play(machines, replace);
  for (const name of THREE) assert.is(await countAt(machines, name), 50);
  // Only the superuser has the permission ADMIN, so the password of the guide matters.
  await must(machines, 'ops', "zksh zk1 -c 'setAcl --force / world:anyone:cdrw'");
  await play(machines, saveLive);
  await must(machines, 'ops', "zksh zk1 -c 'deleteall --yes /app'");
  await play(machines, restoreLive);
  for (const name of THREE) assert.is(await countAt(machines, name), 50);
}

export const GUIDES: readonly Guide[] = [
  {
    name: 'deploy three members',
    play: async (machines) => {
      assert.match(await playAll(machines, 'docs/deploy.md', 'Deploy three members'), /HEALTHY/);
    },
  },
  { name: 'rolling upgrade', play: rollingUpgrade },
  { name: 'migrate from Apache and back', isSlow: true, play: migrate },
  { name: 'SASL from nothing', isSlow: true, play: sasl },
  { name: 'scale from three to five and back, replace a member', isSlow: true, play: scale },
  { name: 'recover from a lost quorum', play: lostQuorum },
  { name: 'recover from a full disk', play: fullDisk },
  { name: 'recover from a damaged log', play: damagedLog },
  { name: 'back up and restore', play: backUp },
];
