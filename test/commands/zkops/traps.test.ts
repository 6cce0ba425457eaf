import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { VERBS } from '../../../src/commands/zkops/index.js';
import { answers, type Behavior, notServing, refuses } from '../../support/peers/fake-member.js';
import { codesOf } from '../../support/terminal/run-zkops.js';
import { flat, follower, leader, member, over, well } from './fake-ensemble.js';
import { srvrText } from './members-of.js';

// States that mislead checkers of ZooKeeper, each with members on a real socket. Each was reported
// against some tool.

test('a leader that lost its followers still claims to lead, and is not believed', async () => {
  const run = await over([leader(0), refuses, refuses]);
  assert.is(run.exitCode, 2);
  assert.match(flat(run), 'CRITICAL: no quorum: 1 of 3 voters in sync (expected at least 2)');
});

test('of two claimed leaders, the one with a majority leads the only ensemble', async () => {
  const run = await over([leader(0), leader(1), follower()]);
  assert.is(run.exitCode, 2);
  const [zombie] = run.fakes;
  assert.is(codesOf(run)[0], 'two-leaders');
  assert.match(flat(run), `127.0.0.1:${zombie?.port} lost its followers and has not noticed yet`);
});

test('two leaders that both have a majority lead two ensembles', async () => {
  const run = await over([...well, ...well]);
  assert.is(run.exitCode, 2);
  assert.is(codesOf(run)[0], 'two-ensembles');
  assert.match(flat(run), /CRITICAL: two ensembles in one list: .* both lead; use one list/);
});

test('the number of voters reveals a follower of another ensemble', async () => {
  const run = await over([...well, follower()]);
  assert.is(codesOf(run)[0], 'two-ensembles');
  assert.match(flat(run), 'two ensembles in one list: 4 voters serve, but an ensemble here has 3');
});

test('a follower without a vote so far does not count as foreign', async () => {
  const metrics = { synced_followers: 2, quorum_size: 3, synced_non_voting_followers: 1 };
  const run = await over([member('leader', metrics), follower(), follower(), follower()]);
  assert.is(run.exitCode, 0, run.out);
});

test('a second poll that the deadline cuts short does not replace the first', async () => {
  let looks = 0;
  const slowLater: Behavior = (socket, word, bytes) => {
    if (word === 'srvr') looks += 1;
    // Silent in the second poll.
    if (looks <= 1) follower('0x100000001')(socket, word, bytes);
  };
  const late = ['--warn', 'lag=5', '--timeout', '20000', '--deadline', '1500'];
  const run = await over([leader(2), follower(), slowLater], 'health', ...late);
  assert.ok(looks >= 1);
  assert.equal([run.exitCode, codesOf(run)], [1, ['limit:lag']], run.out);
});

test('one server under two names is not counted twice', async () => {
  const conf = 'serverId=1\nserver.1=a:1:2:participant\nserver.2=b:1:2:participant\n';
  const first = answers({ srvr: srvrText('leader'), mntr: 'zk_server_state\tleader\n', conf });
  const run = await over([first, first]);
  assert.is(run.exitCode, 3);
  assert.match(flat(run), /are both server 1: list it once, or give each its own myid/);
});

test('members without a common membership are foreign, but not during a reconfig', async () => {
  const conf = (...hosts: readonly string[]) => ({
    conf: `serverId=1\n${hosts
      .map((host, at) => `server.${at + 1}=${host}:2888:3888:participant\n`)
      .join('')}`,
  });
  const withConf = (mode: string, ...hosts: readonly string[]) =>
    answers({ srvr: srvrText(mode), mntr: `zk_server_state\t${mode}\n`, ...conf(...hosts) });
  const strangers = await over([withConf('leader', 'a', 'b'), withConf('follower', 'x', 'y')]);
  assert.is(codesOf(strangers)[0], 'two-ensembles');
  assert.match(flat(strangers), 'have no member in common');
  const growing = await over([withConf('leader', 'a', 'b'), withConf('follower', 'a', 'b', 'c')]);
  assert.is(growing.exitCode, 0, growing.out);
});

test('a standalone server among members is reported, and three of them are not an ensemble', async () => {
  const beside = await over([leader(1), follower(), member('standalone')]);
  assert.is(beside.exitCode, 2);
  assert.match(flat(beside), 'runs standalone beside an ensemble, with separate data');
  const three = await over([member('standalone'), member('standalone'), member('standalone')]);
  assert.is(three.exitCode, 1);
  assert.match(flat(three), 'all standalone with separate data: they are not an ensemble');
});

test('a lost follower, a lagging one, and a lost quorum give different verdicts', async () => {
  const lostOne = await over([leader(1), follower(), (socket) => socket.end()]);
  assert.match(flat(lostOne), /WARNING: .* leads, 2 of 3 voters in sync, no more may fail/);
  const lagging = await over(
    [leader(2), follower(), follower('0x100000001')],
    'health',
    '--warn',
    'lag=5',
  );
  assert.match(flat(lagging), 'lag from the newest member: 7 txns, above the limit of 5 txns');
  assert.is(lagging.exitCode, 1);
  const notInSync = await over([leader(1), follower(), follower('0x100000001')]);
  assert.match(flat(notInSync), /leads, only 2 of 3 voters in sync: 127\.0\.0\.1:\d+ lags/);
  const lost = await over([notServing, notServing, (socket) => socket.end()]);
  assert.is(lost.exitCode, 2);
  assert.match(flat(lost), 'CRITICAL: no member serves: 2 of 3 members run, without a quorum');
});

test('a read-only member may have txns that were never committed, so it is ignored for lag', async () => {
  const readOnly = answers({
    srvr:
      'Zookeeper version: 3.8.0\nREAD-ONLY mode; serving only read-only clients\n' +
      'Latency min/avg/max: 0/0.0/0\nZxid: 0x10000ffff\nMode: read-only\nNode count: 6\n',
    mntr: 'zk_server_state\tread-only\n',
  });
  const run = await over([leader(1), follower(), readOnly], 'health', '--warn', 'lag=0');
  assert.equal(codesOf(run), ['member:read-only']);
  assert.match(flat(run), 'it has no quorum and serves read-only clients');
});

test('imok does not prove a quorum', async () => {
  const alive: Behavior = (socket, word, bytes) =>
    word === 'ruok' ? socket.end('imok') : notServing(socket, word, bytes);
  const members = [alive, alive, alive];
  assert.is((await over(members, 'ruok')).exitCode, 0);
  assert.is((await over(members)).exitCode, 2);
});

test('an election that ends before the second poll is not critical', async () => {
  let asked = 0;
  const electing: Behavior = (socket, word, bytes) => {
    asked += 1;
    const behave = asked <= 9 ? notServing : well[0];
    behave?.(socket, word, bytes);
  };
  const electingToo: Behavior = (socket, word, bytes) => {
    asked += 1;
    const behave = asked <= 9 ? notServing : follower();
    behave(socket, word, bytes);
  };
  const run = await over([electing, electingToo, electingToo]);
  assert.is(run.exitCode, 0, run.out);
});

test('a response in a hundred pieces, with unknown lines and a NaN, is complete', async () => {
  const metrics = Array.from({ length: 900 }, (_, at) => `zk_avg_x${at}_per_namespace\t0.0\n`);
  const text = `zk_version\t9.9\n${metrics.join('')}zk_new\twords\nzk_avg_latency\tNaN\nzk_znode_count\t7\n???\n`;
  const pieces: Behavior = (socket, word) => {
    if (word !== 'mntr') {
      socket.end(srvrText('standalone'));
      return;
    }
    for (let at = 0; at < text.length; at += 300) socket.write(text.slice(at, at + 300));
    socket.end();
  };
  const run = await over([pieces], 'mntr', '-o', 'json');
  const [member] = JSON.parse(run.out).members;
  assert.is(member.metrics.znode_count, 7);
  assert.is(member.metrics.avg_latency, null);
  assert.is(member.metrics.new, 'words');
  assert.is(Object.keys(member.metrics).length, 904);
});

test('an empty mntr beside a valid srvr hides the figures, and the member is not down', async () => {
  const run = await over([answers({ srvr: srvrText('standalone') })], 'mntr');
  assert.is(run.exitCode, 3, run.out);
  assert.is(run.result?.members[0]?.state, 'serving');
  assert.match(flat(run), 'it closed the connection without an answer');
});

test('a narrow whitelist gives the word and the line to add, and no member counts as down', async () => {
  const run = await over([refuses, refuses, refuses], 'mntr');
  assert.is(run.exitCode, 3);
  assert.match(
    flat(run),
    'mntr and srvr are not in its whitelist; add 4lw.commands.whitelist=srvr,mntr',
  );
  assert.match(flat(run), 'UNKNOWN: no member reported its role');
});

test('a word is four bytes: a server that leaves a byte unread resets the connection', async () => {
  const heard: string[] = [];
  await over([
    (socket, word, bytes) => {
      heard.push(bytes.toString());
      socket.end(word === 'srvr' ? srvrText('standalone') : '');
    },
  ]);
  assert.equal([...new Set(heard)].sort(), ['conf', 'mntr', 'srvr']);
});

test('no check resets statistics or writes', () => {
  const resets = ['srst', 'crst', 'stmk'];
  for (const { name, words, isReset } of VERBS) {
    assert.is(
      isReset === true,
      words.some((word) => resets.includes(word)),
      name,
    );
  }
});

test('a restarted server has no rate, instead of a negative one', async () => {
  let uptime = 90_000;
  const restarts: Behavior = (socket, word, bytes) => {
    uptime -= 30_000;
    member('standalone', { uptime, packets_received: uptime, connection_rejected: uptime })(
      socket,
      word,
      bytes,
    );
  };
  const run = await over([restarts], 'health', '--interval', '50', '-o', 'json');
  const [server] = JSON.parse(run.out).members;
  assert.is(server.rates.requestsPerSecond, undefined);
  assert.is(run.exitCode, 0);
});

test.run();
