// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CallOptions,
  CreateModes,
  mkdirp,
  retryingClient,
  type ZooKeeperClient,
} from '../../../src/client/index.js';
import { inWorld, type World } from '../../recipes/world.js';
import { chosenTest, sharedServer } from '../../support/apache/chosen-server.js';
import type { Harm } from '../../support/peers/proxy.js';
import { clientCalls } from '../client-calls.js';

const ACL = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

interface Write {
  readonly call: (client: ZooKeeperClient, path: string) => Promise<unknown>;
  /** What the observer sees if it happened exactly once. */
  readonly once: (observer: ZooKeeperClient, path: string) => Promise<unknown>;
  readonly expected: unknown;
  /** Whether a lost reply differs from a lost request. */
  readonly isRecognizable?: boolean;
}

const children = async (observer: ZooKeeperClient, path: string) =>
  (await observer.getChildren(path)).children.length;
const version = async (observer: ZooKeeperClient, path: string) =>
  (await observer.exists(path))?.version;

const WRITES: Readonly<Record<string, Write>> = {
  'a new znode': {
    call: (client, path) => client.create(`${path}/new`, 'x'),
    once: children,
    expected: 2,
  },
  'a sequential znode': {
    call: (client, path) =>
      client.create(`${path}/s-`, 'x', { mode: CreateModes.PERSISTENT_SEQUENTIAL }),
    once: children,
    expected: 2,
  },
  'an ephemeral znode': {
    call: (client, path) => client.create(`${path}/e`, 'x', { mode: CreateModes.EPHEMERAL }),
    once: children,
    expected: 2,
    isRecognizable: true,
  },
  'a value': {
    call: (client, path) => client.setData(path, 'x'),
    once: version,
    expected: 1,
  },
  'a value by its version': {
    call: (client, path) => client.setData(path, 'x', 0),
    once: version,
    expected: 1,
  },
  'an ACL by its version': {
    call: (client, path) => client.setACL(path, ACL, 0),
    once: async (observer, path) => (await observer.exists(path))?.aversion,
    expected: 1,
  },
  'a delete': {
    call: (client, path) => client.delete(`${path}/old`),
    once: children,
    expected: 0,
  },
  'a multi': {
    call: (client, path) =>
      client.multi([
        { op: 'check', path, version: 0 },
        { op: 'set', path, data: 'x' },
        { op: 'create', path: `${path}/e`, options: { mode: CreateModes.EPHEMERAL } },
      ]),
    once: async (observer, path) => [await children(observer, path), await version(observer, path)],
    expected: [2, 1],
  },
};

const shared = sharedServer();

function check(name: string, run: (world: World) => Promise<void>): void {
  chosenTest(
    name,
    shared.use(({ port }) => inWorld(port, run)),
  );
}

/** Registers a test of a write whose request or reply is lost. */
function checkLost(
  name: string,
  { call, once, expected }: Write,
  harm: Harm,
  judge: (outcome: Promise<unknown>) => Promise<void>,
): void {
  check(name, async ({ path, client, proxy, observer }) => {
    const through = await proxy();
    const own = await client({ through });
    const patient = retryingClient(own, { firstDelayMs: 1 });
    await mkdirp(own, '/recipes');
    await own.create(path, 'first');
    await own.create(`${path}/old`);
    through.harmAt(1, harm);
    await judge(call(patient, path));
    assert.ok(through.hasHarmed);
    await observer.sync(path);
    assert.equal(await once(observer, path), expected);
  });
}

for (const [name, write] of Object.entries(WRITES)) {
  checkLost(
    `${name}: is repeated when its request is lost`,
    write,
    'request is lost',
    async (outcome) => {
      await outcome;
    },
  );

  checkLost(
    `${name}: happens once when its reply is lost, and the error says so`,
    write,
    'reply is lost',
    async (outcome) => {
      const error = await outcome.then(
        () => undefined,
        (failure) => failure,
      );
      if (write.isRecognizable === true) {
        assert.is(error, undefined);
        return;
      }
      assert.equal([error?.code, error?.hasUnknownOutcome], ['CONNECTIONLOSS', true]);
    },
  );
}

/** Calls that may change something, or send no request. Every other call is repeated. */
const NOT_REPEATED: readonly string[] = [
  ...['create', 'delete', 'setData', 'setACL', 'multi', 'reconfig', 'removeWatches'],
  ...['connect', 'close', 'updateServers', 'within', 'watch', 'on', 'once', 'off'],
];

check('every read is repeated when its reply is lost', async ({ client, proxy, observer }) => {
  await mkdirp(observer, '/a');
  const own = await client();
  const reads = clientCalls(own).filter(({ name }) => !NOT_REPEATED.includes(name));
  assert.ok(reads.length > 10);
  for (const { name, args } of reads) {
    const through = await proxy();
    const patient = retryingClient(await client({ through }), { firstDelayMs: 1 });
    const call = clientCalls(patient).find((each) => each.name === name);
    through.harmAt(1, 'reply is lost');
    const error = await Promise.resolve(call?.run(...(args as never[]))).catch((e) => e);
    assert.not.instance(error, Error, `${name}: ${error}`);
    // The proxy harms no addAuth.
    assert.ok(through.hasHarmed || name === 'addAuth', name);
  }
});

check(
  'the signal of a write ends the reads that ask whether it happened',
  async ({ path, client, proxy, observer }) => {
    await mkdirp(observer, path);
    for (const count of [2, 3]) {
      const through = await proxy();
      const own = await client({ through });
      const patient = retryingClient(own, { firstDelayMs: 1 });
      await own.exists(path);
      const limit = new AbortController();
      const asked: string[] = [];
      for (const name of ['sync', 'exists'] as const) {
        const call = own[name].bind(own) as (...args: unknown[]) => Promise<never>;
        own[name] = (given: string, options?: CallOptions) => {
          asked.push(name);
          assert.is(options?.signal, limit.signal);
          if (asked.length === count - 1) through.stall();
          const answer = call(given, options);
          if (asked.length === count - 1) limit.abort();
          return answer;
        };
      }
      through.harmAt(1, 'reply is lost');
      const write = patient.setData(path, 'x', -1, { signal: limit.signal });
      const error = await write.catch((failure) => failure);
      assert.is(error.name, 'AbortError');
      assert.is(error.hasUnknownOutcome, true);
      assert.equal(asked, ['sync', 'exists'].slice(0, count - 1));
      through.mend();
    }
  },
);

check(
  'a znode that another client recreated is not deleted a second time',
  async ({ path, client, proxy, observer }) => {
    const through = await proxy();
    const own = await client({ through });
    const patient = retryingClient(own, { firstDelayMs: 1 });
    await mkdirp(own, path);
    through.harmAt(1, 'reply is lost');
    own.on('state', (state) => {
      if (state === 'disconnected') observer.create(path, 'new');
    });
    const error = await patient.delete(path, 0).catch((failure) => failure);
    assert.is(error.hasUnknownOutcome, true);
    await observer.sync(path);
    assert.is(String((await observer.getData(path)).data), 'new');
  },
);

check('the attempts are bounded, and a signal ends the pauses', async ({ client, proxy }) => {
  const through = await proxy();
  const own = await client({ through });
  through.stall();
  const twice = retryingClient(own, { attempts: 2, firstDelayMs: 1 });
  const error = await twice.exists('/', { timeoutMs: 5 }).catch((failure) => failure);
  assert.is(error.code, 'ETIMEDOUT');
  const slow = retryingClient(own, { firstDelayMs: 60_000, longestDelayMs: 60_000 });
  const signal = AbortSignal.timeout(50);
  const aborted = await slow
    .setData('/', 'x', -1, { timeoutMs: 5, signal })
    .catch((failure) => failure);
  assert.is(aborted.name, 'TimeoutError');
  assert.is(aborted.hasUnknownOutcome, true);
  through.mend();
});

check('a refusal is final, and so is the end of the client', async ({ client }) => {
  const own = await client();
  const patient = retryingClient(own, { attempts: 2, firstDelayMs: 1 });
  const refused = await patient.delete('/missing').catch((failure) => failure);
  assert.is(refused.code, 'NONODE');
  await patient.close();
  const closed = await patient.exists('/').catch((failure) => failure);
  assert.is(closed.hasUnknownOutcome, false);
});

test.run();
