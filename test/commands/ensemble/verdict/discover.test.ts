import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AskWord } from '../../../../src/commands/ensemble/ask.js';
import {
  discoverMembers,
  type ReadConfig,
} from '../../../../src/commands/ensemble/verdict/discover.js';
import type { CommandError } from '../../../../src/commands/program/command-error.js';

const MEMBERSHIP =
  'server.1=zk1:2888:3888:participant;0.0.0.0:2181\n' +
  'server.2=[::1]:2888:3888:participant;2182\n' +
  'server.4=zk4:2888:3888:observer\n';

const nobody: ReadConfig = () => Promise.reject(new Error('refused'));
const conf =
  (text: string): AskWord =>
  () =>
    Promise.resolve(Buffer.from(text));

function discover(ask: AskWord, readConfig = nobody, secure = false) {
  const run = { ask, timeoutMs: 100, deadlineMs: 100, confirmMs: 1, now: () => new Date(0) };
  const isSecure = secure ? ({ isSecure: true } as const) : {};
  const known = [
    { host: 'a', port: 2199, ...isSecure },
    { host: 'b', port: 2199, ...isSecure },
  ];
  return discoverMembers(known, run, readConfig);
}

const MEMBERS = [
  { host: 'zk1', port: 2181 },
  { host: '::1', port: 2182 },
  { host: 'zk4', port: 2199, isObserver: true },
];

test('conf names the members, the observers and their client ports', async () => {
  assert.equal(await discover(conf(`clientPort=2181\n${MEMBERSHIP}version=0`)), MEMBERS);
});

test('where conf is refused, a client reads the configuration; a member that is down is passed over', async () => {
  const asked: string[] = [];
  const read: ReadConfig = ({ host }) => {
    asked.push(host);
    return host === 'a' ? nobody({ host, port: 1 }, RUN) : Promise.resolve(MEMBERSHIP);
  };
  const refused = conf('conf is not executed because it is not in the whitelist.\n');
  assert.equal(await discover(refused, read), MEMBERS);
  assert.equal(asked, ['a', 'b']);
});

test('members of groups have their sids and the lines of all', async () => {
  const groups = 'group.1=1\ngroup.2=2\nweight.2=3\n';
  const refused = conf('conf is not executed because it is not in the whitelist.\n');
  const read: ReadConfig = () => Promise.resolve(`${MEMBERSHIP}${groups}version=0`);
  for (const members of [
    await discover(conf(`clientPort=2181\n${MEMBERSHIP}${groups}version=0`)),
    await discover(refused, read),
  ]) {
    assert.equal(
      members.map(({ seat }) => seat?.sid),
      ['1', '2', '4'],
    );
    assert.match(members[0]?.seat?.membership ?? '', groups.trim());
  }
});

test('over TLS the others are reached over TLS', async () => {
  const members = await discover(conf(`clientPort=1\n${MEMBERSHIP}`), nobody, true);
  assert.equal(
    members.map(({ isSecure }) => isSecure),
    [true, true, true],
  );
});

const RUN = {
  ask: conf(''),
  timeoutMs: 1,
  deadlineMs: 1,
  confirmMs: 1,
  now: () => new Date(0),
};

for (const [says, text] of [
  ['it is standalone, and knows no other members', 'clientPort=2181\n'],
  [
    'its membership has no client ports, and several members share a host',
    'clientPort=1\nserver.1=zk1:1:2:participant\nserver.2=zk1:3:4:participant\n',
  ],
  ['server.1: invalid address: "zk1" (expected host:port:port', 'clientPort=1\nserver.1=zk1\n'],
  ['refused', 'garbage'],
] as const) {
  test(`the membership is unknown: ${says}`, async () => {
    try {
      await discover(conf(text));
    } catch (error) {
      const { message, hint } = error as CommandError;
      assert.is(message, '--discover: no member reports the membership');
      assert.match(hint ?? '', `a:2199: ${says}`);
      return;
    }
    assert.unreachable();
  });
}

test.run();
