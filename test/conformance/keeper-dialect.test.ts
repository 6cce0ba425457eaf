/**
 * What ClickHouse Keeper's dialect leaves in the log is ordinary: Apache's server replays it to the
 * same tree, and counts no digest that differs.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { Random } from '../support/random.js';
import { RawClient } from './support/raw-client.js';
import { checkNoMismatches } from './support/same-everywhere.js';
import { walkTree } from './support/walk.js';

const NO_NODE = -101;
const NOT_EMPTY = -111;
const TRIES = 400;
const ANY = -1;

/** Number, and body in a multi or alone. */
type Op = readonly [type: number, body: Buffer];

const create = (path: string, flags = 0, type: number = OpCode.create): Op => [
  type,
  new ByteBuilder()
    .string(path)
    .buffer(Buffer.from(path))
    .vector(['anyone'], (b, id) => b.int(31).string('world').string(id))
    .int(flags)
    .build(),
];
const createIfNotExists = (path: string, flags = 0) => create(path, flags, 502);
const pathAndInt = (type: number, path: string, int: number): Op => [
  type,
  new ByteBuilder().string(path).int(int).build(),
];
const checkNotExists = (path: string) => pathAndInt(501, path, ANY);
const removeRecursive = (path: string, limit = 100) => pathAndInt(503, path, limit);
const tryRemove = (path: string, version = ANY) => pathAndInt(505, path, version);
const multi = (ops: readonly Op[]): Op => {
  const builder = new ByteBuilder();
  for (const [type, body] of ops) builder.int(type).bool(false).int(-1).bytes(body);
  return [OpCode.multi, builder.int(-1).bool(true).int(-1).build()];
};

async function send(client: RawClient, [type, body]: Op): Promise<number> {
  const reply = await client.request(type, body);
  assert.ok(reply, `no reply to ${type}`);
  return reply.err;
}

/** Operations of every kind, alone and in multis, with all outcomes; many are in flight at once. */
async function work(client: RawClient): Promise<void> {
  assert.is(await send(client, create('/top')), 0);
  assert.is(await send(client, removeRecursive('/top/none')), 0);
  const random = new Random(507);
  const pathOf = () => {
    const depth = random.below(3);
    return `/top${Array.from({ length: depth + 1 }, () => `/${random.below(4)}`).join('')}`;
  };
  const opOf = (): Op => {
    const path = pathOf();
    switch (random.below(7)) {
      case 0:
      case 1:
        return create(path);
      case 2:
      case 3:
        return createIfNotExists(path, random.below(8) === 0 ? 1 : 0);
      case 4:
        return tryRemove(path, random.below(3) === 0 ? 1 : ANY);
      default:
        return removeRecursive(path, 1 + random.below(8));
    }
  };
  const outcomes = new Set<number>();
  for (let i = 0; i < TRIES; i += 8) {
    const sent: Promise<number>[] = [];
    for (let k = 0; k < 8; k++) {
      const isAlone = random.below(3) > 0;
      const ops = [opOf(), opOf(), ...(random.below(4) === 0 ? [checkNotExists(pathOf())] : [])];
      sent.push(send(client, isAlone ? opOf() : multi(ops)));
    }
    for (const err of await Promise.all(sent)) outcomes.add(err);
  }
  for (const err of [0, NO_NODE, NOT_EMPTY]) assert.ok(outcomes.has(err), `no outcome ${err}`);
}

async function treeOf(port: number): Promise<unknown> {
  const client = await RawClient.connect(port);
  const tree = await walkTree(client);
  await client.close();
  return tree;
}

for (const [name, register, isApache] of [
  ['a server', test, false],
  ["Apache's server", oracleTest, true],
] as const) {
  register(`${name} replays what the dialect left in the log`, async () => {
    const home = makeTempDir('keeper-dialect');
    try {
      const writer = await startBundled({ dataDir: home.path, config: { keeperDialect: 'on' } });
      let tree: unknown;
      try {
        const client = await RawClient.connect(writer.port);
        await work(client);
        await client.close();
        tree = await treeOf(writer.port);
      } finally {
        await writer.close();
      }
      const dataDir = home.path;
      const reader = isApache ? await startOracle({ dataDir }) : await startBundled({ dataDir });
      try {
        assert.equal(await treeOf(reader.port), tree);
        await checkNoMismatches({ sid: 1, connectString: `127.0.0.1:${reader.port}` });
      } finally {
        await reader.close();
      }
    } finally {
      home.remove();
    }
  });
}

test('a removal that does not fit in a log entry changes nothing', async () => {
  const limits = { 'jute.maxbuffer': '2048', 'jute.maxbuffer.extrasize': '1024' };
  const server = await startBundled({ config: { keeperDialect: 'on', ...limits } });
  try {
    const client = await RawClient.connect(server.port);
    assert.is(await send(client, create('/top')), 0);
    for (let i = 0; i < 200; i++) assert.is(await send(client, create(`/top/znode-${i}`)), 0);
    const before = await walkTree(client);
    assert.is(await send(client, removeRecursive('/top', ANY)), NOT_EMPTY);
    assert.is(await send(client, multi([removeRecursive('/top', ANY)])), 0);
    assert.equal(await walkTree(client), before);
    for (let i = 0; i < 100; i++) assert.is(await send(client, tryRemove(`/top/znode-${i}`)), 0);
    assert.is(await send(client, removeRecursive('/top', ANY)), 0);
    await client.close();
  } finally {
    await server.close();
  }
});

test.run();
