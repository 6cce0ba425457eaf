import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { VERBS } from '../../../src/commands/ops/index.js';
import {
  answers,
  type Behaviour,
  closeAll,
  type FakeMember,
  notServing,
  refuses,
  startFake,
} from '../../support/fake-member.js';
import { codesOf, runZkops, type ZkopsRun } from '../../support/run-zkops.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { srvrText } from './members-of.js';

// What misleads checkers of ZooKeeper, each with members that do it on a real socket. Every one of
// these has been reported against some tool.

/** Runs a verb over fake members; `zkops health` where none is named. */
async function over(
  behaviours: readonly Behaviour[],
  ...args: readonly string[]
): Promise<ZkopsRun & { readonly fakes: readonly FakeMember[] }> {
  const fakes = await Promise.all(behaviours.map(startFake));
  try {
    const servers = fakes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const [verb = 'health', ...more] = args;
    const confirm = ['health', 'mntr', 'check', 'quorum'].includes(verb) ? ['--confirm', '50'] : [];
    return { ...(await runZkops([verb, '--servers', servers, ...confirm, ...more])), fakes };
  } finally {
    await closeAll(fakes);
  }
}

/** A member as srvr and mntr tell it. */
function member(
  mode: string,
  metrics: Readonly<Record<string, string | number>> = {},
  zxid = '0x100000008',
): Behaviour {
  const lines = Object.entries({ server_state: mode, ...metrics });
  return answers({
    srvr: srvrText(mode, zxid),
    mntr: lines.map(([key, value]) => `zk_${key}\t${value}\n`).join(''),
  });
}

const leader = (synced: number, voters = 3, zxid?: string) =>
  member('leader', { synced_followers: synced, quorum_size: voters }, zxid);
const follower = (zxid?: string, voters = 3) => member('follower', { quorum_size: voters }, zxid);
const well = [leader(2), follower(), follower()];
const flat = ({ out }: ZkopsRun) => out.replace(/\s+/g, ' ');

test('a leader that lost its followers calls itself leader, and is not believed', async () => {
  const run = await over([leader(0), refuses, refuses]);
  assert.is(run.exitCode, 2);
  assert.match(flat(run), 'CRITICAL: no quorum: 1 of 3 voters in step, 2 are needed');
});

test('two that call themselves leader are one ensemble when only one has its majority', async () => {
  const run = await over([leader(0), leader(1), follower()]);
  assert.is(run.exitCode, 2);
  const [zombie] = run.fakes;
  assert.is(codesOf(run)[0], 'two-leaders');
  assert.match(flat(run), `127.0.0.1:${zombie?.port} has lost its followers and does not know yet`);
});

test('two leaders that both have a majority lead two ensembles', async () => {
  const run = await over([...well, ...well]);
  assert.is(run.exitCode, 2);
  assert.is(codesOf(run)[0], 'two-ensembles');
  assert.match(flat(run), /CRITICAL: two ensembles in one list: .* each lead one; make a list/);
});

test('a follower of another ensemble is told by the number of voters', async () => {
  const run = await over([...well, follower()]);
  assert.is(codesOf(run)[0], 'two-ensembles');
  assert.match(flat(run), 'two ensembles in one list: 4 voters serve, but an ensemble here has 3');
});

test('members of different memberships are strangers, of one that changes are not', async () => {
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

test('a standalone server among members is told, and three of them are no ensemble', async () => {
  const beside = await over([leader(1), follower(), member('standalone')]);
  assert.is(beside.exitCode, 2);
  assert.match(flat(beside), 'runs standalone beside an ensemble, with data of its own');
  const three = await over([member('standalone'), member('standalone'), member('standalone')]);
  assert.is(three.exitCode, 1);
  assert.match(flat(three), 'each standalone with data of its own: they are no ensemble');
});

test('losing a follower, having one behind and losing the quorum read differently', async () => {
  const lostOne = await over([leader(1), follower(), (socket) => socket.end()]);
  assert.match(flat(lostOne), /WARNING: .* leads, 2 of 3 voters in step, none to spare/);
  const lagging = await over(
    [leader(2), follower(), follower('0x100000001')],
    'health',
    '--warn',
    'lag=5',
  );
  assert.match(flat(lagging), 'txns behind the newest member: 7 txns, above the limit of 5 txns');
  assert.is(lagging.exitCode, 1);
  const notInStep = await over([leader(1), follower(), follower('0x100000001')]);
  assert.match(flat(notInStep), /only 2 of 3 voters in step: 127\.0\.0\.1:\d+ is behind/);
  const lost = await over([notServing, notServing, (socket) => socket.end()]);
  assert.is(lost.exitCode, 2);
  assert.match(flat(lost), 'CRITICAL: no member serves: 2 of 3 members run, without a quorum');
});

test('a read-only member may show txns that were never committed: it is no measure', async () => {
  const readOnly = answers({
    srvr:
      'Zookeeper version: 3.8.0\nREAD-ONLY mode; serving only read-only clients\n' +
      'Latency min/avg/max: 0/0.0/0\nZxid: 0x10000ffff\nMode: read-only\nNode count: 6\n',
    mntr: 'zk_server_state\tread-only\n',
  });
  const run = await over([leader(1), follower(), readOnly], 'health', '--warn', 'lag=0');
  assert.equal(codesOf(run), ['member:read-only']);
  assert.match(flat(run), 'it has lost its quorum and serves read-only clients');
});

test('imok says nothing of a quorum', async () => {
  const alive: Behaviour = (socket, word, bytes) =>
    word === 'ruok' ? socket.end('imok') : notServing(socket, word, bytes);
  const members = [alive, alive, alive];
  assert.is((await over(members, 'ruok')).exitCode, 0);
  assert.is((await over(members)).exitCode, 2);
});

test('an election is over at the second look, and no emergency', async () => {
  let asked = 0;
  const electing: Behaviour = (socket, word, bytes) => {
    asked += 1;
    const behave = asked <= 9 ? notServing : well[0];
    behave?.(socket, word, bytes);
  };
  const electingToo: Behaviour = (socket, word, bytes) => {
    asked += 1;
    const behave = asked <= 9 ? notServing : follower();
    behave(socket, word, bytes);
  };
  const run = await over([electing, electingToo, electingToo]);
  assert.is(run.exitCode, 0, run.out);
});

test('followers that serve have a leader: one that serves no clients is asked over HTTP', async () => {
  const behaviours = [notServing, follower(), follower()];
  const hidden = await over(behaviours);
  assert.is(hidden.exitCode, 1);
  assert.is(codesOf(hidden)[0], 'leader-hidden');

  const admin = createServer((request, response) => {
    assert.is(request.url, '/commands/zabstate');
    response.end('{"is_leader" : true, "zabstate" : "broadcast", "error" : null}');
  });
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  const fakes = await Promise.all(behaviours.map(startFake));
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    const lines = fakes.map(({ port }) => `127.0.0.1:${port} admin=${address.port}\n`);
    writeFileSync(hosts, lines.join(''));
    const asked = await runZkops(['health', '--ensemble', hosts, '--confirm', '50']);
    assert.is(asked.exitCode, 0, asked.out);
    assert.match(flat(asked), 'leads and serves no clients (leaderServes=no)');
  } finally {
    await closeAll(fakes);
    await new Promise((resolve) => admin.close(resolve));
    folder.remove();
  }
});

test('an AdminServer stands in for a refused mntr, and the footnote is gone', async () => {
  const narrow: Behaviour = (socket, word, bytes) =>
    word === 'srvr' ? socket.end(srvrText('standalone')) : refuses(socket, word, bytes);
  const admin = createServer((_, response) => {
    response.end(
      '{"server_state":"standalone","outstanding_requests":77,"last_zxid":72057671992279040,' +
        '"command":"monitor","error":null}',
    );
  });
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  const fake = await startFake(narrow);
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, `127.0.0.1:${fake.port} admin=${address.port} name=alone\n`);
    const run = await runZkops(['mntr', '--ensemble', hosts, '--confirm', '50', '-o', 'json']);
    const [member] = JSON.parse(run.out).members;
    assert.is(member.server, 'alone');
    assert.is(member.note, null);
    assert.is(member.metrics.outstanding_requests, 77);
    assert.is(member.metrics.last_zxid, '72057671992279040');
    assert.is(run.exitCode, 2, 'the figure is held against its limit');
  } finally {
    await fake.close();
    await new Promise((resolve) => admin.close(resolve));
    folder.remove();
  }
});

test('an answer in a hundred pieces, with lines nobody knows and a NaN, is whole', async () => {
  const metrics = Array.from({ length: 900 }, (_, at) => `zk_avg_x${at}_per_namespace\t0.0\n`);
  const text = `zk_version\t9.9\n${metrics.join('')}zk_new\twords\nzk_avg_latency\tNaN\nzk_znode_count\t7\n???\n`;
  const pieces: Behaviour = (socket, word) => {
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

test('an empty mntr beside a good srvr is a footnote, not a member that is down', async () => {
  const run = await over([answers({ srvr: srvrText('standalone') })], 'mntr');
  assert.is(run.exitCode, 0, run.out);
  assert.is(run.result?.members[0]?.state, 'serving');
  assert.match(flat(run), 'it closed the connection without an answer');
});

test('a wrong whitelist names the word and the line, and nobody is called down', async () => {
  const run = await over([refuses, refuses, refuses], 'mntr');
  assert.is(run.exitCode, 3);
  assert.match(
    flat(run),
    'mntr and srvr are not in its whitelist; add 4lw.commands.whitelist=srvr,mntr',
  );
  assert.match(flat(run), 'UNKNOWN: no member told its role');
});

test('a word ends in a newline, for proxies that wait for one', async () => {
  const heard: string[] = [];
  await over([
    (socket, word, bytes) => {
      heard.push(bytes.toString());
      socket.end(word === 'srvr' ? srvrText('standalone') : '');
    },
  ]);
  assert.equal([...new Set(heard)].sort(), ['conf\n', 'mntr\n', 'srvr\n']);
});

test('no check resets anything, or writes', () => {
  const resets = ['srst', 'crst', 'stmk'];
  for (const { name, words, isReset } of VERBS) {
    assert.is(
      isReset === true,
      words.some((word) => resets.includes(word)),
      name,
    );
  }
});

test('a server that was started anew has no rate, instead of a negative one', async () => {
  let uptime = 90_000;
  const restarts: Behaviour = (socket, word, bytes) => {
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
