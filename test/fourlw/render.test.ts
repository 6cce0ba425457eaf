import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerView } from '../../src/fourlw/base/server-view.js';
import { WORDS, type WordName } from '../../src/fourlw/index.js';
import { golden, makeView, metricsView, probeConnection } from './captured-view.js';

/** Requires the exact bytes of Apache's answer. */
function sameAsApache(server: string, word: WordName, overrides: Partial<ServerView>): void {
  test(`${word} has the bytes of Apache's ${server}`, () => {
    const text = WORDS[word].render(makeView(overrides));
    assert.is(text, golden(server, word));
  });
}

const DATE = (time: string) => Date.parse(`2026-11-21T${time}Z`);
const LEADER_SESSION = {
  remote: '127.0.0.1:36128',
  interestOps: 1,
  outstanding: 0,
  packetsReceived: 4,
  packetsSent: 4,
  sessionId: 0x300001226380000n,
  lastOperation: 'GETD',
  establishedMs: 1795245532658,
  sessionTimeoutMs: 30000,
  lastCxid: 3n,
  lastZxid: 0x100000008n,
  lastResponseMs: 1234028,
  lastLatencyMs: 1,
  minLatencyMs: 0,
  avgLatencyMs: 5.5,
  maxLatencyMs: 12,
};
const EPHEMERALS = [
  { sessionId: 0x100001226710000n, paths: ['/a/e1'] },
  { sessionId: 0x300001226380000n, paths: ['/a/e2'] },
  { sessionId: 0x4000012279f0000n, paths: ['/a/e3'] },
];
const SERVERS = [1, 2, 3, 4].map(
  (sid) =>
    `server.${sid}=127.0.0.1:2230${sid}:2231${sid}:${sid === 4 ? 'observer' : 'participant'}`,
);

function quorumConfig(sid: number, peerType: 'participant' | 'observer') {
  const base = makeView().config;
  return {
    ...base,
    clientPort: 22200 + sid,
    dataDir: `/var/lib/zookeeper/${sid}/version-2`,
    dataLogDir: `/var/lib/zookeeper/${sid}/version-2`,
    serverId: BigInt(sid),
    quorum: {
      initLimit: 10,
      syncLimit: 5,
      electionAlg: 3,
      electionPorts: [22310 + sid],
      quorumPorts: [22300 + sid],
      peerType,
      membership: { servers: SERVERS, version: 0n },
    },
  };
}

for (const server of ['standalone', 'leader', 'f1', 'f2', 'observer']) {
  sameAsApache(server, 'mntr', metricsView(server));
}
test('mntr of a read-only server has the lines of Apache', () => {
  for (const server of ['read-only-1', 'read-only-2']) {
    const text = WORDS.mntr.render(makeView(metricsView(server)));
    // Two gauges fall into one bucket of the hash map, where the order is that of arrival, and a
    // server that was a follower before registers them in another order.
    const moved = text.replace(/(zk_num_alive_\S+\t\d+\n)(zk_avg_latency\t\S+\n)/, '$2$1');
    assert.is(moved, golden(server, 'mntr'), server);
  }
});

const STANDALONE: Partial<ServerView> = {
  latency: { minMs: 0, avgMs: 1.74829, maxMs: 161 },
  packetsReceived: 3416595,
  packetsSent: 3416772,
  lastProcessedZxid: 0x196c00n,
  nodeCount: 600185,
};
sameAsApache('standalone', 'ruok', {});
sameAsApache('standalone', 'isro', {});
sameAsApache('standalone', 'gtmk', {});
sameAsApache('standalone', 'srvr', STANDALONE);
sameAsApache('standalone', 'stat', {
  ...STANDALONE,
  packetsReceived: 3416596,
  packetsSent: 3416773,
  connections: () => [probeConnection('127.0.0.1:42326')],
});
sameAsApache('standalone', 'cons', { connections: () => [probeConnection('127.0.0.1:42252')] });
sameAsApache('standalone', 'conf', {
  config: { ...makeView().config, clientPort: 2191 },
  dirs: () => ({ dataDirSize: 3160601150, logDirSize: 3160601150 }),
});
sameAsApache('standalone', 'dirs', {
  dirs: () => ({ dataDirSize: 3160601150, logDirSize: 3160601150 }),
});
sameAsApache('standalone', 'dump', {
  connectionExpiry: () => [
    {
      expiresAtMs: DATE('07:45:58'),
      connections: [{ remote: '127.0.0.1:42280', sessionId: 0n }],
    },
  ],
});
sameAsApache('standalone', 'envi', {
  environment: () =>
    golden('standalone', 'envi')
      .split('\n')
      .slice(2, -1)
      .map((line): [string, string] => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
});
sameAsApache('standalone', 'hash', {
  digests: () =>
    golden('standalone', 'hash')
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [zxid, digest] = line.split(': ');
        return { zxid: BigInt(`0x${zxid}`), digest: BigInt(digest ?? '') };
      }),
});
sameAsApache('leader', 'hash', {});
sameAsApache('standalone', 'wchs', {});
sameAsApache('standalone', 'wchc', {});
sameAsApache('standalone', 'wchp', {});

const LEADER: Partial<ServerView> = {
  ...metricsView('leader'),
  packetsReceived: 6,
  packetsSent: 5,
  lastProcessedZxid: 0x100000008n,
};
sameAsApache('leader', 'srvr', LEADER);
sameAsApache('leader', 'stat', {
  ...LEADER,
  packetsReceived: 7,
  packetsSent: 6,
  connections: () => [LEADER_SESSION, probeConnection('127.0.0.1:36148')],
});
sameAsApache('leader', 'cons', {
  connections: () => [LEADER_SESSION, probeConnection('127.0.0.1:36174')],
});
sameAsApache('leader', 'conf', {
  config: quorumConfig(3, 'participant'),
  dirs: () => ({ dataDirSize: 67109517, logDirSize: 67109517 }),
});
sameAsApache('observer', 'conf', {
  config: quorumConfig(4, 'observer'),
  dirs: () => ({ dataDirSize: 67110152, logDirSize: 67110152 }),
});
sameAsApache('leader', 'wchs', {
  watchSummary: () => ({ connections: 1, paths: 2, watches: 2 }),
});
sameAsApache('f1', 'wchc', {
  watchesBySession: () => [{ sessionId: 0x100001226710000n, paths: ['/a', '/a/e1', '/nope'] }],
});
sameAsApache('f1', 'wchp', {
  watchesByPath: () =>
    ['/a', '/a/e1', '/nope'].map((path) => ({ path, sessionIds: [0x100001226710000n] })),
});
sameAsApache('leader', 'dump', {
  sessions: () => ({
    kind: 'tracker',
    buckets: [
      { expiresAtMs: DATE('07:19:22'), sessionIds: [] },
      {
        expiresAtMs: DATE('07:19:24'),
        sessionIds: [
          0x4000012279f0000n,
          0x100001226710000n,
          0x300001226380000n,
          0x2000012261f0000n,
        ],
      },
    ],
  }),
  ephemerals: () => EPHEMERALS,
  connectionExpiry: () => [
    {
      expiresAtMs: DATE('07:19:08'),
      connections: [{ remote: '127.0.0.1:36180', sessionId: 0n }],
    },
    {
      expiresAtMs: DATE('07:19:28'),
      connections: [{ remote: '127.0.0.1:36128', sessionId: 0x300001226380000n }],
    },
  ],
});
sameAsApache('f1', 'dump', {
  sessions: () => ({
    kind: 'learner',
    sessions: [0x100001226710000n, 0x2000012261f0000n, 0x300001226380000n, 0x4000012279f0000n].map(
      (sessionId) => ({ sessionId, timeoutMs: 30000 }),
    ),
  }),
  ephemerals: () => EPHEMERALS,
  connectionExpiry: () => [
    {
      expiresAtMs: DATE('07:19:08'),
      connections: [{ remote: '127.0.0.1:38830', sessionId: 0n }],
    },
    {
      expiresAtMs: DATE('07:19:28'),
      connections: [{ remote: '127.0.0.1:38772', sessionId: 0x100001226710000n }],
    },
  ],
});

test('a read-only server says so below its version and prints no membership', () => {
  const { membership: _, ...quorum } = quorumConfig(1, 'participant').quorum;
  const view = makeView({
    isReadOnly: true,
    mode: 'read-only',
    config: { ...quorumConfig(1, 'participant'), quorum },
  });
  const lines = WORDS.srvr.render(view).split('\n');
  assert.is(lines[1], 'READ-ONLY mode; serving only read-only clients');
  assert.is(WORDS.isro.render(view), 'ro');
  assert.ok(WORDS.conf.render(view).endsWith('\npeerType=0\n'));
});

test('a session that has sent no request shows no lcxid; ids are unsigned', () => {
  const session = { ...LEADER_SESSION, lastCxid: -1n, sessionId: -2n };
  const text = WORDS.cons.render(makeView({ connections: () => [session] }));
  assert.ok(text.includes(',to=30000,lzxid='));
  assert.ok(text.includes('sid=0xfffffffffffffffe,'));
});

test('resets and stmk act on the server', () => {
  const calls: string[] = [];
  const view = makeView({
    resetConnectionStats: () => calls.push('crst'),
    resetServerStats: () => calls.push('srst'),
    setTraceMask: (mask) => calls.push(`stmk ${mask}`),
  });
  assert.is(WORDS.crst.render(view), 'Connection stats reset.\n');
  assert.is(WORDS.srst.render(view), 'Server stats reset.\n');
  assert.is(WORDS.stmk.render(view, Buffer.from('0000000000000132', 'hex')), '306');
  assert.is(WORDS.stmk.render(view, Buffer.from('fffffffffffffffe', 'hex')), '-2');
  assert.is(WORDS.stmk.render(view, Buffer.from('00', 'hex')), '');
  assert.equal(calls, ['crst', 'srst', 'stmk 306', 'stmk -2']);
});

test('sessions of both kinds are distinguished where local sessions are enabled', () => {
  const sessions = {
    kind: 'tracker',
    buckets: [{ expiresAtMs: DATE('07:19:24'), sessionIds: [1n] }],
    localBuckets: [],
  } as const;
  const text = WORDS.dump.render(makeView({ sessions: () => sessions }));
  assert.ok(
    text.startsWith(
      'SessionTracker dump:\nLocal Session Sets (0)/(0):\nGlobal Session Sets (1)/(1):\n1 expire at ',
    ),
  );
});

test('a metric nobody touched is printed as zero', () => {
  const lines = WORDS.mntr.render(makeView()).split('\n');
  assert.ok(lines.includes('zk_avg_readlatency\t0.0'));
  assert.ok(lines.includes('zk_commit_count\t0'));
  assert.is(lines.length, 2 + 24 + 47 + 41 * 5 + 23 * 9 + 1);
});

test.run();
