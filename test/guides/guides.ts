// The guides of docs, each with what it needs before, and what must be true after it.
import { createHash, randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { hasOracle } from '../support/apache/oracle.js';
import { withClient } from '../support/peers/seat-client.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { zookeeperdPackage } from './base-layer.js';
import type { MachineName, Machines } from './machines.js';
import { otherDisks, packages } from './package-guides.js';
import { blocksBelow, play, playAll } from './play.js';
import { isActive, must } from './steps.js';

export interface Guide {
  readonly name: string;
  /** It takes more than 45 s on two busy cores, so only `npm run prove -- guides` plays it. */
  readonly isSlow?: true;
  /** Members beside zk1 to zk3. */
  readonly more?: readonly MachineName[];
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
      `sudo -u zookeeper zkserver init /var/lib/zookeeper --servers ${THREE} --myid ${at + 1}
       sudo sed -i '/^tickTime\\|^initLimit\\|^syncLimit/d' /var/lib/zookeeper/zoo.cfg
       printf '${SETTINGS}${more}' | sudo tee -a /var/lib/zookeeper/zoo.cfg`,
    );
  }
  await must(machines, 'ops', "printf 'zk1\\nzk2\\nzk3\\n' >hosts.txt");
}

async function startAll(machines: Machines, unit: string): Promise<void> {
  for (const name of THREE) await must(machines, name, `sudo systemctl start ${unit}`);
  await must(machines, 'ops', 'zkops gate -q --wait 5m --ensemble hosts.txt');
}

async function deployed(machines: Machines): Promise<void> {
  await prepare(machines);
  await startAll(machines, 'zkserver');
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
const BACKUP = 'docs/backup.md';

async function rollingUpgrade(machines: Machines): Promise<void> {
  await deployed(machines);
  const pids = () =>
    Promise.all(
      THREE.map(async (name) => {
        const pid = await must(machines, name, 'systemctl show zkserver --value -p MainPID');
        return `${name} ${pid}`;
      }),
    );
  const before = await pids();
  await underLoad(machines, () => playAll(machines, OPERATE, 'Rolling upgrade'));
  const after = await pids();
  assert.is(after.filter((pid) => before.includes(pid)).length, 0);
}

/** Lets Debian's service run the other release of Apache, if one is wanted. */
function classPath(): string {
  const jars = process.env['APACHE_CLASS_PATH'];
  if (jars === undefined) return '';
  return `echo 'CLASSPATH=${jars}:/usr/share/java/slf4j-simple.jar' | sudo tee -a /etc/zookeeper/conf/environment`;
}

/** Debian's Apache server as its package has it, with data in /var/lib/zookeeper. */
async function prepareApache(machines: Machines): Promise<void> {
  const servers = THREE.map((name, at) => `server.${at + 1}=${name}:2888:3888;2181`).join('\\n');
  // Without a newline at its end.
  const config = `dataDir=/var/lib/zookeeper\\n${SETTINGS}${servers}`;
  for (const [at, name] of THREE.entries()) {
    await must(
      machines,
      name,
      `printf '${config.replaceAll('\n', '\\n')}' | sudo tee /etc/zookeeper/conf/zoo.cfg
       echo ${at + 1} | sudo tee /etc/zookeeper/conf/myid
       ${classPath()}`,
    );
  }
  await must(machines, 'ops', "printf 'zk1\\nzk2\\nzk3\\n' >hosts.txt");
}

async function migrate(machines: Machines): Promise<void> {
  if (!hasOracle || zookeeperdPackage() === undefined) {
    console.log('skipped: needs zookeeperd: apt-get download zookeeperd, and ZOOKEEPERD_DEB');
    return;
  }
  await prepareApache(machines);
  for (const name of THREE) await must(machines, name, 'sudo systemctl start zookeeper');
  await playAll(machines, 'docs/migrate.md', 'Let zkops ask');
  await playAll(machines, 'docs/migrate.md', "Install beside Debian's packages");
  await underLoad(machines, async () => {
    const [first, ...rest] = blocksBelow('docs/migrate.md', 'Migrate member by member');
    await play(machines, first);
    assert.ok(await isActive(machines, 'zk1', 'zkserver'), 'the first member has migrated');
    for (const block of rest) await play(machines, block);
    for (const name of THREE) assert.ok(await isActive(machines, name, 'zkserver'), name);
    await playAll(machines, 'docs/migrate.md', 'Migrate back');
  });
  for (const name of THREE) {
    assert.ok(await isActive(machines, name, 'zookeeper'), name);
    assert.not.ok(await isActive(machines, name, 'zkserver'), name);
  }
}

async function migrateAlone(machines: Machines): Promise<void> {
  if (!hasOracle || zookeeperdPackage() === undefined) {
    console.log('skipped: needs zookeeperd: apt-get download zookeeperd, and ZOOKEEPERD_DEB');
    return;
  }
  const config = 'dataDir=/var/lib/zookeeper/data\\nclientPort=2181\\nadmin.enableServer=false\\n';
  await must(
    machines,
    'zk1',
    `printf '${config}' | sudo tee /etc/zookeeper/conf/zoo.cfg
     ${classPath()}
     sudo systemctl start zookeeper
     timeout 1m sh -c 'until zkops ready -q; do sleep 0.2; done'
     zksh -c 'create /app; create /app/config kept'
     sudo zkserver init /etc/zookeeper/conf/zoo.cfg --unit && sudo systemctl daemon-reload`,
  );
  const [there, back] = blocksBelow('docs/migrate.md', 'Migrate a single server');
  assert.match(await play(machines, there), /^kept$/m);
  assert.ok(await isActive(machines, 'zk1', 'zkserver'));
  assert.match(await play(machines, back), /^kept$/m);
  assert.ok(await isActive(machines, 'zk1', 'zookeeper'));
}

async function sasl(machines: Machines): Promise<void> {
  await deployed(machines);
  await underLoad(machines, () => playAll(machines, 'docs/sasl.md', 'Passwords for clients'));
  // The drop-in for other disks leaves that of the passwords in force.
  await must(
    machines,
    'zk1',
    `sudo zkserver init /var/lib/zookeeper/zoo.cfg --unit && sudo systemctl daemon-reload
     sudo systemctl restart zkserver`,
  );
  const login =
    'zkops gate -q --wait 1m --ensemble hosts.txt && zksh zk1 --sasl-file app.login -c whoami';
  assert.match(await must(machines, 'ops', login), 'sasl: app');
  const output = await playAll(machines, 'docs/sasl.md', 'Passwords between members');
  assert.match(output, /HEALTHY/);
  await playAll(machines, 'docs/sasl.md', 'Refuse clients without a password');
}

async function scale(machines: Machines): Promise<void> {
  await deployed(machines);
  await underLoad(machines, async () => {
    await playAll(machines, OPERATE, 'Scale from three to five and back');
    // Members that were removed come again.
    const [, grow, shrink] = blocksBelow(OPERATE, 'Scale from three to five and back');
    assert.match(await play(machines, grow), '5 of 5 voters in sync');
    await play(machines, shrink);
    const [stop, init] = blocksBelow(OPERATE, 'Replace a member');
    await play(machines, stop);
    await machines.replace('zk2');
    await play(machines, init);
  });
}

/** Znodes that a guide must keep. */
async function fill(machines: Machines, count: number, bytes = 100): Promise<void> {
  await withClient({ connectString: machines.clientOf('zk1') }, async (client) => {
    await client.create('/app').catch(() => undefined);
    // What the guides read at their end.
    await client.create('/app/config', Buffer.from('kept')).catch(() => undefined);
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
    const { children } = await client.getChildren('/app');
    return children.filter((child) => child.startsWith('n-')).length;
  });
}

async function lostQuorum(machines: Machines): Promise<void> {
  await deployed(machines);
  await fill(machines, 50);
  for (const name of ['zk2', 'zk3'] as const) await machines.replace(name);
  await playAll(machines, OPERATE, 'Recover from a lost quorum');
  for (const name of THREE) assert.is(await countAt(machines, name), 50);
}

async function fullDisk(machines: Machines): Promise<void> {
  await prepare(machines, 'snapCount=300\npreAllocSize=64\nautopurge.purgeInterval=0\n');
  const disk = '/var/lib/zookeeper';
  await must(
    machines,
    'zk3',
    `sudo cp -a ${disk} ${disk}.old
     sudo mount -t tmpfs -o size=6m disk ${disk}
     sudo sh -c 'rm -rf ${disk}.old/.cache; cp -a ${disk}.old/. ${disk}'`,
  );
  await startAll(machines, 'zkserver');
  const isDown = async () => !(await isActive(machines, 'zk3', 'zkserver'));
  while (!(await isDown())) await overwrite(machines, 200);
  await playAll(machines, OPERATE, 'Recover from a full disk');
  const config = `${disk}/zoo.cfg`;
  const kept = `sudo stat -c %U ${config}; sudo grep ^autopurge.purgeInterval ${config}`;
  assert.is(await must(machines, 'zk3', kept), 'zookeeper\nautopurge.purgeInterval=24\n');
}

/** Damages the text of a znode in the log of zk2. */
const DAMAGE = `sudo systemctl stop zkserver
  log=$(sudo sh -c 'ls /var/lib/zookeeper/log/version-2/log.*' | tail -n 1)
  at=$(sudo grep -abo damaged $log | head -n 1 | cut -d : -f 1)
  printf DAMAGED | sudo dd of=$log bs=1 seek=$at conv=notrunc status=none`;

async function damagedLog(machines: Machines): Promise<void> {
  await deployed(machines);
  await fill(machines, 50);
  await must(machines, 'zk2', `zksh -c 'create /n damaged'\n${DAMAGE}`);
  // It may have led: then the others elect first.
  await must(machines, 'ops', 'zkops ready -q --servers zk1 --wait 1m');
  const [verify, setAside] = blocksBelow(OPERATE, 'Recover from a damaged log');
  await play(machines, verify);
  await play(machines, setAside);
  assert.is(await countAt(machines, 'zk2'), 50);
}

async function damagedLogAlone(machines: Machines): Promise<void> {
  const [verify, , restore, recover] = blocksBelow(OPERATE, 'Recover from a damaged log');
  const [save] = blocksBelow(BACKUP, 'Back up a member');
  const onZk2 = (text: string) => text.replaceAll('zk1', 'zk2');
  const begin = `sudo -u zookeeper zkserver init /var/lib/zookeeper
    sudo systemctl start zkserver
    zksh -c 'create /app; create /app/config kept; create /n damaged'`;
  const add = "zksh -c 'create /app/later 1'";
  await must(machines, 'zk2', begin);
  await play(machines, save, onZk2);
  await must(machines, 'zk2', `${add}\n${DAMAGE}`);
  await play(machines, verify);
  // The block may be run again after a problem in its middle.
  const noFile = (text: string) => text.replace('zkserver load ', 'zkserver load /nowhere');
  await play(machines, restore && { ...restore, status: 64 }, noFile);
  await play(machines, restore);
  const shown = await must(machines, 'zk2', "zksh -c 'get /n; ls /app'");
  assert.is(shown, 'damaged\n[config, later]\n');
  await machines.replace('zk2');
  await must(machines, 'zk2', `${begin}\n${add}\n${DAMAGE}`);
  await play(machines, verify);
  await play(machines, recover);
  assert.is(await must(machines, 'zk2', "zksh -c 'get /n; ls /app'"), 'DAMAGED\n[config, later]\n');
}

async function backUp(machines: Machines): Promise<void> {
  const digest = `super:${createHash('sha1').update('super:secret').digest('base64')}`;
  await prepare(machines, `DigestAuthenticationProvider.superDigest=${digest}\\n`);
  await startAll(machines, 'zkserver');
  await fill(machines, 50);
  const moment = (await must(machines, 'ops', 'sleep 1.1; date -u +%FT%TZ; sleep 1.1')).trim();
  const [save] = blocksBelow(BACKUP, 'Back up a member');
  const [find, replace, begin, check] = blocksBelow(BACKUP, 'Restore an ensemble');
  const [saveLive, restoreLive] = blocksBelow(BACKUP, 'Snapshot of a running ensemble');
  await fill(machines, 7);
  await play(machines, save);
  await must(machines, 'ops', "zksh zk1 -c 'deleteall --yes /app'");
  const at = (text: string) => text.replaceAll('2026-01-31T12:00:00Z', moment);
  await play(machines, find, at);
  // A step that fails ends the block with its status, and nothing after it runs.
  const running = (text: string) => text.replaceAll('systemctl stop', 'systemctl status');
  await play(machines, replace && { ...replace, status: 4 }, running);
  assert.match(await must(machines, 'ops', "zksh zk1 -c 'ls /'"), '[zookeeper]');
  await play(machines, replace);
  await play(machines, begin);
  for (const name of THREE) assert.is(await countAt(machines, name), 50);
  await play(machines, check);
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
  { name: 'migrate a single server and back', isSlow: true, play: migrateAlone },
  { name: 'SASL from nothing', isSlow: true, play: sasl },
  {
    name: 'scale from three to five and back, replace a member',
    isSlow: true,
    more: ['zk4', 'zk5'],
    play: scale,
  },
  { name: 'recover from a lost quorum', play: lostQuorum },
  { name: 'recover from a full disk', play: fullDisk },
  { name: 'recover from a damaged log', play: damagedLog },
  { name: 'recover a single server from a damaged log', play: damagedLogAlone },
  { name: 'back up and restore', play: backUp },
  { name: 'data on other disks', play: otherDisks },
  { name: 'upgrade, remove, and purge the package', play: packages },
];

/** The machines that a guide needs. */
export function machinesOf({ more = [] }: Guide): MachineName[] {
  return [...THREE, ...more, 'ops'];
}
