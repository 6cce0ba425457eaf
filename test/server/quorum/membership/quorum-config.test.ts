import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  containsQuorum,
  formatQuorumConfig,
  isParticipant,
  isVoter,
  parseQuorumConfig,
  type QuorumConfig,
  voters,
  weightOf,
} from '../../../../src/server/quorum/membership/quorum-config.js';

function parsed(text: string): QuorumConfig {
  const config = parseQuorumConfig(text);
  if (typeof config === 'string') throw new Error(config);
  return config;
}

function servers(...sids: number[]): string {
  return sids.map((sid) => `server.${sid}=h${sid}:2888:3888`).join('\n');
}

/** Every subset of these sids, as text. */
function quorumsOf(config: QuorumConfig, sids: readonly number[]): string[] {
  const found: string[] = [];
  for (let bits = 0; bits < 2 ** sids.length; bits++) {
    const subset = sids.filter((_, at) => (bits & (1 << at)) !== 0);
    if (containsQuorum(config, new Set(subset))) found.push(subset.join(''));
  }
  return found;
}

test('a configuration is printed as Apache’s server prints it', () => {
  // From /zookeeper/config of three Apache servers with these lines in zoo.cfg.
  const config = parsed(`server.1=127.0.0.1:27281:27381
server.2=127.0.0.1:27282:27382:participant;127.0.0.1:27182
server.3=127.0.0.1:27283:27383;27183
server.17=127.0.0.1:27287:27387:observer
server.4=127.0.0.1:27284:27384:observer;[::1]:27184
group.1=1:2
group.33=3
weight.1=2
weight.3=1
`);
  const lines = formatQuorumConfig(config).split('\n');
  // Java's HashMap puts 17 and 1 in one bucket, and the numbers do not give their order.
  assert.equal(lines.slice(0, 2), [
    'server.1=127.0.0.1:27281:27381:participant',
    'server.17=127.0.0.1:27287:27387:observer',
  ]);
  assert.equal(lines.slice(2), [
    'server.2=127.0.0.1:27282:27382:participant;127.0.0.1:27182',
    'server.3=127.0.0.1:27283:27383:participant;0.0.0.0:27183',
    'server.4=127.0.0.1:27284:27384:observer;[0:0:0:0:0:0:0:1]:27184',
    'group.1=1:2',
    'group.33=3',
    'weight.1=2',
    'weight.2=1',
    'weight.3=1',
    'version=0',
  ]);
});

test('the printed configuration parses to the same value', () => {
  for (const text of [
    'server.1=a:1:2:participant\nversion=0',
    'server.1=a:1:2:participant\ngroup.7=1\nweight.1=2\nversion=0',
    'server.16=p:1:2:participant\nserver.2=b:1:2:participant;0.0.0.0:3\nversion=100000000a',
    'server.1=a:1:2|b:3:4:participant;0.0.0.0:5\nserver.2=c:1:2:observer\nversion=ffffffffffffffff',
    'server.1=[fe80:0:0:0:0:0:0:1]:1:2:participant\nversion=0',
    // As QuorumServer.toString of 3.10 prints the TLS port.
    'server.1=a:1:2:participant;0.0.0.0:3;0.0.0.0:4\nserver.2=b:1:2:participant;;[0:0:0:0:0:0:0:1]:4\nversion=0',
  ]) {
    assert.is(formatQuorumConfig(parsed(text)), text);
  }
});

test('more than half of the participants are a quorum', () => {
  const config = parsed(`${servers(1, 2, 3)}\nserver.4=h4:1:2:observer\nversion=7`);
  assert.is(config.version, 7n);
  assert.equal(
    quorumsOf(config, [1, 2, 3, 4, 5]).filter((set) => !/[45]/.test(set)),
    ['12', '13', '23', '123'],
  );
  assert.not(
    containsQuorum(config, new Set([1, 4, 5])),
    'observers and unknown servers do not count',
  );
  assert.equal(voters(config), [1, 2, 3]);
  assert.equal(
    [1, 4, 5].map((sid) => weightOf(config, sid)),
    [1, 0, 0],
  );
  assert.equal(quorumsOf(parsed(servers(1, 2)), [1, 2]), ['12'], 'half is not enough');
  assert.equal(quorumsOf(parsed(servers(9)), [9]), ['9']);
});

test('in a hierarchy, most groups must agree, each by most of its weight', () => {
  const config = parsed(`${servers(1, 2, 3, 4, 5, 6, 7)}
group.1=1:2:3
group.2=4:5
group.3=6:7
weight.4=3
weight.6=0
weight.7=0`);
  assert.equal([isVoter(config, 6), isParticipant(config, 6)], [false, true]);
  assert.equal(voters(config), [1, 2, 3, 4, 5]);
  // Group 3 has no weight and does not count, so both others must agree. 4 alone decides group 2.
  assert.equal(
    quorumsOf(config, [1, 2, 3, 4, 5]).filter((set) => set.length === 3),
    ['124', '134', '234'],
  );
  assert.not(containsQuorum(config, new Set([1, 2, 3, 5, 6, 7])));
});

test('an error in a text is reported with its line', () => {
  const cases: [string, string][] = [
    ['', 'no participant (expected at least one)'],
    ['server.1=a:1:2:observer', 'no participant (expected at least one)'],
    [
      'server.1=a:1:2\nserver.2=b',
      'line 2: invalid server: "b" (expected host:port:port[:participant|observer][;[address:]port[;[address:]tlsPort]])',
    ],
    ['server.1=a:1:2\nserver.1=b:1:2', 'line 2: duplicate server 1'],
    [
      'server.1=a:1:2\n\nclientPort=2181',
      'line 3: unknown key: "clientPort" (expected server.N, group.N, weight.N, or version)',
    ],
    [
      'server.1=a:1:2\nversion=xyz',
      'line 2: invalid version: "xyz" (expected up to 16 hex digits)',
    ],
    [`${servers(1, 2)}\ngroup.1=1:3`, 'group.1: unknown server 3 (expected a line server.3)'],
    [`${servers(1, 2)}\ngroup.1=1\ngroup.2=1:2`, 'server 1 is in group 1 and in group 2'],
    [`${servers(1, 2)}\ngroup.1=1`, 'server 2 has no group'],
    [`${servers(1)}\nweight.1=2`, 'weights without groups (expected groups)'],
    [`${servers(1)}\ngroup.1=1\nweight.1=0`, 'no weight above 0 (expected at least one)'],
    ['server.1=a:1:2\\u00', 'line 1: expected four hex digits after \\u'],
  ];
  for (const [text, complaint] of cases) assert.is(parseQuorumConfig(text), complaint);
});

/** The sids in the order in which the configuration lists its servers. */
function listed(...sids: number[]): string {
  const text = formatQuorumConfig(parsed(`${servers(...sids)}\nversion=0`));
  return [...text.matchAll(/server\.(\d+)=/g)].map(([, sid]) => sid).join(' ');
}

test('servers are listed in the order of a HashMap, which grows with them', () => {
  const twelve = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  assert.is(listed(...twelve, 33), '1 33 2 3 4 5 6 7 8 9 10 11');
  assert.is(listed(...twelve, 17), '1 17 2 3 4 5 6 7 8 9 10 11');
  // With a thirteenth, it has 32 buckets.
  assert.is(listed(...twelve, 17, 33), '1 33 2 3 4 5 6 7 8 9 10 11 17');
  assert.is(listed(...twelve, 12, 49), '1 2 3 4 5 6 7 8 9 10 11 12 49');
});

test('a long text takes linear time', () => {
  const many = 200_000;
  for (const text of [`${'\\'.repeat(many)}x`, 'a\\\n'.repeat(many)]) {
    assert.match(String(parseQuorumConfig(text)), /^line 1: unknown key/);
  }
});

test.run();
