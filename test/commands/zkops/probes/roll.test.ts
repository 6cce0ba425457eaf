import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openRoll, saveRoll } from '../../../../src/commands/zkops/probes/roll-file.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, type TaskJson, taskJson } from '../call-task.js';
import { askFakes, ensemble, type FakeMembers, mntr, serversOf, srvr } from './fake-members.js';

interface World {
  readonly folder: string;
  readonly ask: ReturnType<typeof askFakes>;
  readonly roll: (...args: string[]) => Promise<TaskJson & { readonly exitCode: number }>;
}

/** Members whose uptime ends when a command writes a file with their port as its name. */
async function withMembers(
  members: FakeMembers,
  use: (world: World) => Promise<void>,
): Promise<void> {
  const folder = makeTempDir('roll');
  const ask: ReturnType<typeof askFakes> = (address, word, options) => {
    const uptime = existsSync(join(folder.path, String(address.port))) ? 0 : 1e9;
    const aged = Object.entries(members).map(([port, member]) => [
      port,
      member === 'dead' || Number(port) !== address.port
        ? member
        : { ...member, mntr: `${member['mntr'] ?? ''}zk_uptime\t${uptime}\n` },
    ]);
    return askFakes(Object.fromEntries(aged))(address, word, options);
  };
  try {
    await use({
      folder: folder.path,
      ask,
      roll: (...args) => taskJson(['roll', '--servers', serversOf(members), ...args], { ask }),
    });
  } finally {
    folder.remove();
  }
}

const marking = (folder: string) => `touch ${folder}/{port} && echo {port} >> ${folder}/order`;
const orderIn = (folder: string) =>
  readFileSync(join(folder, 'order'), 'utf8').trim().split('\n').map(Number);

function whole(): FakeMembers {
  const observer = { srvr: srvr('observer'), mntr: mntr({ server_state: 'observer' }) };
  return { ...ensemble(2), 4: observer };
}

test('restarts observers, followers, then the leader, and removes the file', () =>
  withMembers(whole(), async ({ folder, roll }) => {
    const file = join(folder, 'roll.json');
    const { exitCode, verdict, rows } = await roll('--command', marking(folder), '--resume', file);
    assert.is(exitCode, 0, verdict.summary);
    assert.equal(orderIn(folder), [4, 2, 3, 1]);
    assert.equal(
      rows.map(({ role, result }) => `${role} ${result}`),
      ['observer restarted', 'follower restarted', 'follower restarted', 'leader restarted'],
    );
    assert.is(verdict.summary, '4 of 4 members restarted');
    assert.is(existsSync(file), false);
    assert.is(existsSync(`${file}.lock`), false);
  }));

test('before the leader restarts, a restarted member of zkserver leads', async () => {
  const zksh = (mode: string) => srvr(mode).replace('3.9.3', '3.9.4-zksh-1.0.0');
  const { 1: leader, 2: follower, 3: other } = ensemble(2) as Record<number, object>;
  const conf = (sid: number) => ({ conf: `serverId=${sid}\n` });
  const members = {
    1: { ...leader, ...conf(1), srvr: zksh('leader') },
    2: { ...follower, ...conf(2) },
    3: { ...other, ...conf(3), srvr: zksh('follower') },
  };
  const asked: string[] = [];
  const admin = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body) => asked.push(`${request.url} ${body}`));
    request.on('end', () => {
      Object.assign(members[1], { ...members[2], ...conf(1), srvr: zksh('follower') });
      Object.assign(members[3], { ...leader, ...conf(3), srvr: zksh('leader') });
      response.end('{"error": null}');
    });
  });
  await once(admin.listen(0, '127.0.0.1'), 'listening');
  try {
    await withMembers(members, async ({ folder, ask }) => {
      const { port } = admin.address() as AddressInfo;
      const hosts = join(folder, 'hosts');
      writeFileSync(hosts, `127.0.0.1:1 admin=${port}\n127.0.0.1:2\n127.0.0.1:3\n`);
      const command = ['--command', marking(folder)];
      const { exitCode, rows } = await taskJson(['roll', '--ensemble', hosts, ...command], { ask });
      assert.is(exitCode, 0);
      assert.equal(orderIn(folder), [2, 3, 1]);
      assert.equal(
        rows.map(({ role }) => role),
        ['follower', 'follower', 'leader'],
      );
      assert.equal(asked, ['/commands/move_leader {"to":3}']);
    });
  } finally {
    admin.close();
  }
});

test('a dry run prints the order and the commands, and runs none', () =>
  withMembers(whole(), async ({ folder, roll }) => {
    const { exitCode, rows } = await roll('--command', marking(folder), '--dry-run');
    assert.is(exitCode, 0);
    assert.equal(
      rows.map(({ server, result }) => `${server} ${result}`),
      [4, 2, 3, 1].map((port) => `10.0.0.1:${port} would restart`),
    );
    assert.match(String(rows[0]?.['command']), /touch .*\/4 && echo 4/);
    assert.is(existsSync(join(folder, 'order')), false);
  }));

test('a command that fails ends the roll, and the same call continues with that member', () =>
  withMembers(whole(), async ({ folder, roll }) => {
    const [file, mended] = [join(folder, 'roll.json'), join(folder, 'mended')];
    const command = `${marking(folder)} && { test {port} != 3 || test -e ${mended} || { echo no ssh >&2; echo see the log >&2; exit 255; }; }`;
    const args = ['--command', command, '--resume', file];
    const stopped = await roll(...args);
    assert.is(stopped.exitCode, 2);
    assert.match(stopped.verdict.summary, /no ssh \/ see the log; 2 of 4 members restarted$/);
    const [problem] = stopped.verdict.problems;
    assert.is(problem?.code, 'roll-stopped');
    assert.match(
      problem?.text ?? '',
      /stopped: 10\.0\.0\.1:3: the command failed: exit status 255: no ssh \/ see the log; .*skips the 2 members that are done/,
    );
    writeFileSync(mended, '');
    const resumed = await roll(...args);
    assert.is(resumed.exitCode, 0, resumed.verdict.problems[0]?.text ?? '');
    assert.equal(orderIn(folder), [4, 2, 3, 3, 1]);
  }));

test('a command that ends well and restarts nothing ends the roll', () =>
  withMembers(whole(), async ({ roll }) => {
    const { exitCode, verdict } = await roll('--command', 'true {host}', '--wait', '4000');
    assert.is(exitCode, 2);
    assert.match(
      verdict.problems[0]?.text ?? '',
      /10\.0\.0\.1:4: the command ended, but the member did not restart \(waited/,
    );
  }));

test('does not begin where a member is down, or where the list lacks voters', async () => {
  await withMembers({ ...ensemble(1), 3: 'dead' }, async ({ folder, roll }) => {
    const { exitCode, verdict } = await roll('--command', marking(folder), '--wait', '1');
    assert.is(exitCode, 2);
    assert.match(verdict.problems[0]?.text ?? '', /stopped: 10\.0\.0\.1:3/);
    assert.is(existsSync(join(folder, 'order')), false);
  });
  const five = { server_state: 'leader', quorum_size: 5, synced_followers: 4 };
  const members = { ...ensemble(2), 1: { srvr: srvr('leader'), mntr: mntr(five) } };
  await withMembers(members, async ({ folder, roll }) => {
    const { verdict } = await roll('--command', marking(folder), '--wait', '1');
    assert.match(verdict.problems[0]?.text ?? '', /3 of 5 voters are in the list of members/);
    assert.is(existsSync(join(folder, 'order')), false);
  });
});

test('a leader without a txn in its epoch does not make its followers lag', () => {
  const idle = ensemble(2);
  const leader = { ...(idle[1] as object), srvr: srvr('leader', '0x200000000') };
  return withMembers({ ...idle, 1: leader }, async ({ folder, roll }) => {
    const { exitCode, verdict } = await roll('--command', marking(folder), '--wait', '4000');
    assert.is(exitCode, 0, verdict.summary);
    assert.equal(orderIn(folder), [2, 3, 1]);
  });
});

test('a follower that lags after its restart ends the roll', () => {
  const late = { srvr: srvr('follower', '0x100000002'), mntr: mntr({ quorum_size: 3 }) };
  return withMembers({ ...ensemble(2), 2: late }, async ({ folder, roll }) => {
    const { verdict } = await roll('--command', marking(folder), '--wait', '4000');
    assert.match(
      verdict.problems[0]?.text ?? '',
      /10\.0\.0\.1:2 lags: zxid 0x100000002 \(expected at least 0x100000008\)/,
    );
    assert.equal(orderIn(folder), [2]);
  });
});

test('{id} needs the word conf, and a value is quoted for the shell', () => {
  const withId = (id: string, mode: string, more: Record<string, string | number>) => ({
    srvr: srvr(mode),
    mntr: mntr({ quorum_size: 3, ...more }),
    conf: `clientPort=2181\ndataDir=/d\nserverId=${id}\n`,
  });
  const members = {
    1: withId('7', 'leader', { synced_followers: 2 }),
    2: withId('$(id)', 'follower', {}),
    3: withId('9', 'follower', {}),
  };
  return withMembers(members, async ({ folder, roll }) => {
    const { exitCode } = await roll(
      '--command',
      `${marking(folder)} && echo {id} >> ${folder}/ids`,
    );
    assert.is(exitCode, 0);
    assert.is(readFileSync(join(folder, 'ids'), 'utf8'), '$(id)\n9\n7\n');
  });
});

test('a command that restarted no member may be corrected', () => {
  const folder = makeTempDir('roll');
  try {
    const file = join(folder.path, 'roll.json');
    const members = ['a:1', 'b:1'];
    const typo = { command: 'shh {host}', members, ids: {}, done: [], underway: 'a:1' };
    const right = { ...typo, command: 'ssh {host}', underway: null };
    saveRoll(file, typo);
    const { command, underway } = openRoll(file, right);
    assert.equal([command, underway], ['ssh {host}', 'a:1']);
    saveRoll(file, { ...typo, done: ['b:1'] });
    assert.throws(() => openRoll(file, right), /has the state of another roll/);
  } finally {
    folder.remove();
  }
});

test('refuses a template without a member, and a file of another roll', async () => {
  const ask = askFakes(ensemble(2));
  const call = (...args: string[]) => {
    const servers = args.includes('--servers') ? [] : ['--servers', serversOf(ensemble(2))];
    return callTask(['roll', ...servers, ...args], { ask });
  };
  const folder = makeTempDir('roll');
  try {
    const other = join(folder.path, 'other.json');
    const kept = { command: 'other {host}', members: ['a:1'], ids: {}, done: [], underway: null };
    writeFileSync(other, JSON.stringify({ schema: 'zkops-roll/1', ...kept }));
    const torn = join(folder.path, 'torn.json');
    writeFileSync(torn, '{"schema":');
    const cases: readonly (readonly [args: readonly string[], exitCode: number, text: RegExp])[] = [
      [[], 64, /roll: missing option \(expected --command TEMPLATE\)/],
      [
        ['--command', 'systemctl restart zk'],
        64,
        /has no placeholder for a member: systemctl restart zk \(expected/,
      ],
      [['--command', 'echo {hots}'], 64, /unknown placeholder: \{hots\}/],
      [['--command', 'echo {id}', '--wait', '1'], 64, /does not report its id: add conf/],
      [
        ['--command', 'x {host}', '--resume', other],
        64,
        /has the state of another roll: other \{host\} on a:1/,
      ],
      [
        ['--command', 'ssh {host} x', '--servers', '-oProxyCommand=x'],
        64,
        /begins with a dash: -o/,
      ],
      [['--command', 'x {host}', '--resume', torn], 3, /cannot read: .*\n.*Remove it/],
    ];
    for (const [args, exitCode, text] of cases) {
      const outcome = await call(...args);
      assert.match(outcome.error, text);
      assert.is(outcome.exitCode, exitCode, args.join(' '));
    }
  } finally {
    folder.remove();
  }
});

test('a second roll with the same file is refused while the first one runs', () =>
  withMembers(whole(), async ({ folder, roll }) => {
    const file = join(folder, 'roll.json');
    const until = new Date(Date.now() + 1e9).getTime();
    writeFileSync(`${file}.lock`, `${process.pid} ${until}\n`);
    const outcome = await roll('--command', 'touch {host}', '--resume', file).catch(String);
    assert.match(String(outcome), /another roll is under way: process \d+/);
  }));

test.run();
