import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerView } from '../../../src/fourlw/base/server-view.js';
import type { AdminView } from '../../../src/server/admin/admin-view.js';
import {
  ADMIN_COMMANDS,
  type AdminAnswer,
  answerCommand,
  commandPage,
} from '../../../src/server/admin/commands.js';
import { makeView } from '../../fourlw/captured-view.js';

const NOT_SERVING = 'This ZooKeeper instance is not currently serving requests';

/** A server without a quorum. Properties that must not be read in this state are missing. */
function silentServer(): { admin: AdminView; masks: bigint[] } {
  const masks: bigint[] = [];
  const server = {
    isServing: false,
    version: '1',
    environment: () => [['a', 'b']],
    traceMask: 306n,
    setTraceMask: (mask: bigint) => masks.push(mask),
  } as unknown as ServerView;
  const admin: AdminView = {
    server,
    slowSyncCount: 0,
    slowRequests: () => [],
    lastSnapshot: () => undefined,
    systemProperties: () => new Map(),
    initialConfiguration: () => '',
    shedConnections: () => 0,
    moveLeader: () => '',
  };
  return { admin, masks };
}

const bodyOf = ({ pieces }: AdminAnswer): string => [...pieces].join('');

function ask(name: string, query: Readonly<Record<string, string>> = {}) {
  const { admin, masks } = silentServer();
  const answer = answerCommand(admin, name, { query: new Map(Object.entries(query)), body: '' });
  const body = bodyOf(answer);
  return { ...answer, body, json: JSON.parse(body) as Record<string, unknown>, masks };
}

const ALWAYS = [
  'environment',
  'get_trace_mask',
  'initial_configuration',
  'slow_requests',
  'system_properties',
  'zabstate',
];

test('a server that does not serve reports that with status 200 and the requested name', () => {
  for (const { name, aliases, run, isAlwaysAnswered } of ADMIN_COMMANDS) {
    if (run === undefined || isAlwaysAnswered === true) continue;
    for (const asked of [name, ...aliases]) {
      const { status, json } = ask(asked);
      assert.is(status, 200, asked);
      assert.equal(json, { command: asked, error: NOT_SERVING });
    }
  }
});

test('strict=1 reports it in the status, too', () => {
  assert.is(ask('ruok', { strict: '1' }).status, 503);
  assert.is(ask('monitor', { strict: '1' }).status, 503);
  assert.is(ask('environment', { strict: '1' }).status, 200);
});

test('commands that need no server are answered', () => {
  for (const name of ALWAYS) assert.is(ask(name).json['error'], null, name);
});

test('every command has its own names', () => {
  const names = ADMIN_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  assert.is(new Set(names).size, names.length);
  assert.is(ADMIN_COMMANDS.length, 32);
});

test('command and error come last', () => {
  const { body } = ask('environment');
  assert.match(body, /"b",\n {2}"command" : "environment",\n {2}"error" : null\n}$/);
});

test('a trace mask must be a long', () => {
  for (const traceMask of ['', 'x', '1.5', '9223372036854775808']) {
    const { json, masks } = ask('stmk', { traceMask });
    const message = `setTraceMask requires long traceMask argument, got ${traceMask}`;
    assert.is(json['error'], message, traceMask);
    assert.equal(masks, []);
  }
  assert.equal(ask('stmk', { traceMask: '-9223372036854775808' }).masks, [-(2n ** 63n)]);
});

test('the page links every command below the given root', () => {
  const page = commandPage('/admin');
  for (const { name } of ADMIN_COMMANDS) {
    assert.match(page, `<a href="/admin/${name}">${name}</a>\n<br/>\n`);
  }
});

test('dump lists local and global sessions by expiry time', () => {
  const server = {
    isServing: true,
    ephemerals: () => [],
    sessions: () => ({
      kind: 'tracker',
      localBuckets: [{ expiresAtMs: 2000, sessionIds: [5n] }],
      buckets: [
        { expiresAtMs: 1000, sessionIds: [1n, -1n] },
        { expiresAtMs: 2000, sessionIds: [3n] },
      ],
    }),
  } as unknown as ServerView;
  const view = { ...silentServer().admin, server };
  const body = bodyOf(answerCommand(view, 'dump', { query: new Map(), body: '' }));
  const { expiry_time_to_session_ids: expiry } = JSON.parse(body);
  assert.equal(expiry, { 1000: [1, -1], 2000: [5, 3] });
});

test('observers lists the observers of a leader or an observer master', () => {
  const { admin } = silentServer();
  const observer = {
    remote: '10.0.0.4:39204',
    sid: 4,
    establishedMs: 1_800_000_000_000,
    packetsReceived: 7,
    packetsSent: 9,
    requests: 2,
    lastZxid: 0x1_0000_0002n,
  };
  const quorum = { peerState: 'following - broadcast', quorumSize: 3, syncedObservers: 1 };
  const server = makeView({ quorum, observers: () => [observer] });
  const answer = answerCommand({ ...admin, server }, 'obsr', { query: new Map(), body: '' });
  assert.equal(JSON.parse(bodyOf(answer)), {
    synced_observers: 1,
    observers: [
      {
        remote_socket_address: '/10.0.0.4:39204',
        sid: 4,
        established: 1_800_000_000_000,
        queued_packets: 0,
        queued_packets_size: 0,
        packets_received: 7,
        packets_sent: 9,
        requests: 2,
        last_zxid: 0x1_0000_0002,
      },
    ],
    command: 'observers',
    error: null,
  });
});

test.run();
