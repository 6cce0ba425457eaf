import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { taskJson } from '../call-task.js';
import { askFakes, type FakeMembers, mntr, serversOf, srvr } from './fake-members.js';

function call(verb: string, members: FakeMembers, ...args: string[]) {
  const ask = askFakes(members);
  return taskJson([verb, '--servers', serversOf(members), '--timeout', '500', ...args], { ask });
}

const CONF = `clientPort=2181
secureClientPort=-1
dataDir=/data
tickTime=2000
maxClientCnxns=60
serverId=1
initLimit=10
syncLimit=5
membership: 
server.1=a:1:2:participant
server.2=b:1:2:participant
server.3=c:1:2:participant
version=0`;
const ENVI = 'Environment:\nzookeeper.version=3.9.3\nhost.name=a\njava.version=17.0.1\n';

const member = (sid: number, changes: readonly [string, string][] = []) => {
  let conf = CONF.replace('serverId=1', `serverId=${sid}`);
  let envi = ENVI.replace('host.name=a', `host.name=host${sid}`);
  for (const [from, to] of changes) {
    conf = conf.replace(from, to);
    envi = envi.replace(from, to);
  }
  return { srvr: srvr(sid === 1 ? 'leader' : 'follower'), conf, envi };
};

test('expected differences are not drift', async () => {
  const other = [
    ['clientPort=2181', 'clientPort=2182'],
    ['/data', '/other'],
  ] as const;
  const members = {
    1: member(1),
    2: member(2, [...other.map(([a, b]): [string, string] => [a, b])]),
    3: member(3),
  };
  const { rows, exitCode } = await call('drift', members);
  assert.is(exitCode, 0);
  assert.equal(rows, []);
  const all = await call('drift', members, '--all');
  assert.ok(all.rows.some(({ setting }) => setting === 'conf.clientPort'));
});

const DRIFTS: readonly [string, readonly [string, string], number, string, RegExp][] = [
  ['timing', ['tickTime=2000', 'tickTime=3000'], 1, 'conf.tickTime', /tickTime differs/],
  [
    'release',
    ['version=3.9.3', 'version=3.8.4'],
    1,
    'envi.zookeeper.version',
    /different releases/,
  ],
  ['Java', ['17.0.1', '11.0.2'], 1, 'envi.java.version', /java.version differs/],
  [
    'a member',
    ['server.3=c:1:2', 'server.3=d:1:2'],
    2,
    'conf.server.3',
    /disagree about the membership/,
  ],
  ['a missing member', ['server.3=c:1:2:participant\n', ''], 2, 'conf.server.3', /disagree/],
  ['a group', ['version=0', 'group.1=1:2:3\nversion=0'], 2, 'conf.group.1', /disagree/],
];

for (const [what, change, exitCode, setting, words] of DRIFTS) {
  test(`drift of ${what} is reported`, async () => {
    const members = { 1: member(1), 2: member(2, [[...change]]), 3: member(3) };
    const found = await call('drift', members);
    assert.is(found.exitCode, exitCode);
    assert.equal(
      found.rows.map((row) => row['setting']),
      [setting],
    );
    assert.match(found.verdict.problems[0]?.text ?? '', words);
  });
}

test('duplicate ids, an even number of voters, and an incomplete list are reported', async () => {
  const twice = await call('drift', { 1: member(1), 2: member(2), 3: member(2) });
  assert.is(twice.exitCode, 2);
  assert.match(twice.verdict.problems[0]?.text ?? '', /:2 and 10\.0\.0\.1:3 have the same id 2/);
  const gone: [string, string] = ['server.3=c:1:2:participant\n', ''];
  const even = await call('drift', { 1: member(1, [gone]), 2: member(2, [gone]) });
  assert.is(even.exitCode, 1);
  assert.match(even.verdict.problems[0]?.text ?? '', /2 voters tolerate no more failures/);
  // With groups, the number of voters does not tell how many may fail.
  const groups: [string, string] = ['version=0', 'group.1=1\ngroup.2=2\nversion=0'];
  const pair = { 1: member(1, [gone, groups]), 2: member(2, [gone, groups]) };
  assert.is((await call('drift', pair)).exitCode, 0);
  const some = await call('drift', { 1: member(1), 2: member(2) });
  assert.match(
    some.verdict.problems[0]?.text ?? '',
    /2 members are listed, but the membership has 3/,
  );
});

test('a refusal by the whitelist is reported with the line to add, and is not drift', async () => {
  const { conf: _, ...rest } = member(2);
  const found = await call('drift', { 1: member(1), 2: rest, 3: member(3) });
  assert.is(found.exitCode, 3);
  assert.equal(found.rows, []);
  const texts = found.verdict.problems.map(({ text }) => text).join();
  assert.match(texts, /conf is not in its whitelist; add 4lw\.commands\.whitelist=srvr,mntr,conf/);
});

const digests = (...list: [zxid: string, digest: number][]) =>
  list.map(([zxid, digest]) => `${zxid}: ${digest}\n`).join('');

const keeper = (hash: string, nodes = 5, mismatches = 0) => ({
  srvr: srvr('follower', '0x100000200', nodes),
  hash,
  mntr: mntr({ digest_mismatches_count: mismatches }),
});

test('equal digests at equal zxids show equal trees', async () => {
  const same = await call('consistency', {
    1: keeper(digests(['100000080', 7], ['100000100', 8], ['100000180', 9])),
    2: keeper(digests(['100000080', 7], ['100000100', 8])),
  });
  assert.is(same.exitCode, 0);
  assert.is(same.verdict.summary, '2 members have the same 2 digests, up to 0x100000100');
});

test('different digests at one zxid prove a difference, and the first such zxid is reported', async () => {
  const other = await call('consistency', {
    1: keeper(digests(['100000080', 7], ['100000100', 8], ['100000180', 9])),
    2: keeper(digests(['100000080', 7], ['100000100', 1], ['100000180', 2])),
  });
  assert.is(other.exitCode, 2);
  assert.match(other.verdict.problems[0]?.text ?? '', /differ, first at 0x100000100/);
  assert.equal(
    other.rows.map(({ tree }) => tree),
    ['differs', 'differs'],
  );
});

test('digests of different zxids prove nothing, and a member without a walk is not judged', async () => {
  const found = await call('consistency', {
    1: keeper(digests(['100000080', 7])),
    2: keeper(digests(['100000100', 8])),
  });
  assert.is(found.exitCode, 3);
  assert.match(found.verdict.summary, /fewer than two members could be walked/);
});

test('a counted mismatch, and different numbers of znodes at one zxid, are reported', async () => {
  const hash = digests(['100000080', 7]);
  const counted = await call('consistency', { 1: keeper(hash), 2: keeper(hash, 5, 3) });
  assert.is(counted.exitCode, 2);
  assert.match(
    counted.verdict.problems[0]?.text ?? '',
    /3 txns since its start led to a tree that differs/,
  );
  const nodes = await call('consistency', { 1: keeper(hash), 2: keeper(hash, 6) });
  assert.is(nodes.exitCode, 2);
  assert.match(nodes.verdict.problems[0]?.text ?? '', /at 0x100000200 members have 5 and 6 znodes/);
});

const connection = (host: string, port: number, sid: string) =>
  ` /${host}:${port}[1](queued=2,recved=10,sent=20,sid=${sid},lop=PING,est=1,to=30000,lcxid=0x5,lzxid=0x1,lresp=1,llat=0,minlat=0,avglat=1,maxlat=45)\n`;
const probe = ' /10.9.9.9:5[0](queued=0,recved=1,sent=0)\n\n';
const many = (count: number, host: string, from: number) =>
  Array.from({ length: count }, (_, i) =>
    connection(host, from + i, `0x${(from + i).toString(16)}`),
  ).join('');

test('clients are counted by host, member, and session over all members', async () => {
  const conf = 'clientPort=1\nmaxClientCnxns=60\n';
  const dump =
    'SessionTracker dump:\nephemeral nodes dump:\nSessions with Ephemerals (1):\n0x64:\n\t/a\n\t/b\n';
  const members = {
    1: { cons: many(3, '10.1.1.1', 100) + many(1, '10.2.2.2', 200) + probe, conf, dump },
    2: { cons: many(2, '10.1.1.1', 300) + probe, conf, dump },
  };
  const byHost = await call('clients', members);
  assert.is(byHost.exitCode, 0);
  assert.equal(byHost.rows[0], {
    host: '10.1.1.1',
    connections: 5,
    sessions: 5,
    queued: 10,
    received: 50,
    sent: 100,
    max_latency_ms: 45,
    ephemerals: 2,
    members: '10.0.0.1:1 3, 10.0.0.1:2 2',
  });
  assert.equal(byHost.totals, { connections: 6, hosts: 2 });
  const byMember = await call('clients', members, '--by', 'member');
  assert.equal(
    byMember.rows.map((row) => [row['member'], row['connections']]),
    [
      ['10.0.0.1:1', 4],
      ['10.0.0.1:2', 2],
    ],
  );
  assert.is((await call('clients', members, '--by', 'session', '--limit', '4')).rows.length, 4);
});

test('a host near maxClientCnxns, and a member with all clients, give a warning', async () => {
  const conf = 'clientPort=1\nmaxClientCnxns=30\n';
  const dump = 'SessionTracker dump:\n';
  const members = {
    1: { cons: many(25, '10.1.1.1', 100) + probe, conf, dump },
    2: { cons: probe, conf, dump },
  };
  const { exitCode, verdict } = await call('clients', members);
  assert.is(exitCode, 1);
  const texts = verdict.problems.map(({ text }) => text).join('\n');
  assert.match(texts, /10\.1\.1\.1: 25 of 30 connections \(maxClientCnxns\)/);
  assert.match(texts, /25 of 25 connections, 2 times the mean/);
});

test('clients without cons gives no verdict, and names the missing word of the whitelist', async () => {
  const { exitCode, verdict } = await call('clients', { 1: { srvr: srvr('standalone') } });
  assert.is(exitCode, 3);
  assert.match(verdict.problems[0]?.text ?? '', /cons is not in its whitelist|whitelist=srvr,cons/);
});

const wchs = (watches: number) => `1 connections watching 2 paths\nTotal watches:${watches}\n`;

test('watches are counted by member, and on request by path, session, and host', async () => {
  const members = {
    1: {
      wchs: wchs(3),
      wchp: '/a\n\t0x64\n\t0x65\n/b\n\t0x64\n\n',
      cons: many(2, '10.1.1.1', 100) + probe,
    },
    2: { wchs: wchs(1), wchp: '/a\n\t0x77\n\n', cons: many(1, '10.2.2.2', 0x77) + probe },
  };
  const counts = await call('watches', members);
  assert.is(counts.exitCode, 0);
  assert.equal(
    counts.rows.map(({ watches }) => watches),
    [3, 1],
  );
  assert.equal(counts.totals, { watches: 4 });
  assert.equal((await call('watches', members, '--by', 'path')).rows, [
    { path: '/a', watches: 3, sessions: 3 },
    { path: '/b', watches: 1, sessions: 1 },
  ]);
  assert.equal((await call('watches', members, '--by', 'session')).rows[0], {
    session: '0x64',
    watches: 2,
    paths: 2,
  });
  assert.equal((await call('watches', members, '--by', 'host')).rows, [
    { host: '10.1.1.1', watches: 3, paths: 2 },
    { host: '10.2.2.2', watches: 1, paths: 1 },
  ]);
});

test('a server with many watches is skipped, unless --force is given', async () => {
  const members = { 1: { wchs: wchs(200_000), wchp: '/a\n\t0x64\n\n' } };
  const spared = await call('watches', members, '--by', 'path');
  assert.is(spared.exitCode, 3);
  assert.match(spared.verdict.problems[0]?.text ?? '', /200000 watches make wchp too costly/);
  assert.equal(spared.rows, []);
  const forced = await call('watches', members, '--by', 'path', '--force');
  assert.is(forced.rows.length, 1);
});

test('watches explains a refusal by the whitelist', async () => {
  const refused = await call('watches', { 1: { wchs: wchs(1) } }, '--by', 'path');
  assert.is(refused.exitCode, 3);
  assert.match(refused.verdict.problems[0]?.text ?? '', /wchp is not in its whitelist/);
});

test.run();
