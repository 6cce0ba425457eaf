/**
 * Quotas compared with Apache's server: the same refusals, the same usage, and counts that either
 * server continues.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL } from '../../src/protocol/data.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { limitPath, statPath } from '../../src/protocol/quota.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { compareServers, formatWorld } from './support/compare.js';
import { encodeOp } from './support/encode-op.js';
import { RawClient } from './support/raw-client.js';
import { walkTree } from './support/walk.js';
import type { Op, Step } from './support/world.js';

const CONFIG = { tickTime: '2000', enforceQuota: 'true', extendedTypesEnabled: 'true' };
const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];

function create(path: string, data: string | null = null, flags = 0): Op {
  const value = { path, data: data === null ? null : Buffer.from(data), acl: OPEN, flags };
  return { type: OpCode.create, value };
}

function setData(path: string, data: string | null, version = -1): Op {
  const bytes = data === null ? null : Buffer.from(data);
  return { type: OpCode.setData, value: { path, data: bytes, version } };
}

function remove(path: string): Op {
  return { type: OpCode.delete, value: { path, version: -1 } };
}

function read(path: string): Op {
  return { type: OpCode.getData, value: { path, watch: false } };
}

function multi(...ops: Op[]): Op {
  return { type: OpCode.multi, ops };
}

/** The znodes that setquota of the shells creates. */
function setQuota(path: string, limits: string): Op[] {
  return [
    create(`/zookeeper/quota${path}`),
    create(limitPath(path), limits),
    create(statPath(path), 'count=0,bytes=0'),
  ];
}

function ops(...list: readonly Op[]): Step[] {
  return list.map((op) => ({ kind: 'requests', client: 0, ops: [op] }));
}

const HISTORIES: readonly { readonly what: string; readonly steps: readonly Step[] }[] = [
  {
    what: 'a hard limit of znodes',
    steps: ops(
      create('/n'),
      create('/n/a'),
      ...setQuota('/n', 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=3'),
      read(statPath('/n')),
      create('/n/b'),
      read(statPath('/n')),
      create('/n/c'),
      create('/n/b/deep'),
      create('/n/s-', null, 2),
      create('/n/a'),
      create('/n/none/x'),
      setData('/n/b', 'any length'),
      remove('/n/b'),
      create('/n/c', null, 1),
      create('/n/d'),
      read(statPath('/n')),
      read(limitPath('/n')),
    ),
  },
  {
    what: 'a hard limit of bytes',
    steps: ops(
      create('/b', '12345'),
      ...setQuota('/b', 'count=-1,bytes=-1=;byteHardLimit=10;countHardLimit=-1'),
      create('/b/a', '123456'),
      create('/b/a', '1234'),
      setData('/b/a', '12345'),
      setData('/b/a', '54321'),
      setData('/b/a', '123456'),
      setData('/b/a', '123456', 7),
      setData('/b/a', null),
      setData('/b', '1234567890'),
      read(statPath('/b')),
      create('/b/empty'),
      create('/b/more', 'x'),
      read(statPath('/b')),
    ),
  },
  {
    what: 'a limit below the current usage',
    steps: ops(
      create('/o', '1234567890'),
      create('/o/a', '12345'),
      ...setQuota('/o', 'count=-1,bytes=-1=;byteHardLimit=4;countHardLimit=1'),
      setData('/o', '1'),
      setData('/o/a', '12345'),
      remove('/o/a'),
      create('/o/b'),
      setData(limitPath('/o'), 'count=-1,bytes=-1=;byteHardLimit=40;countHardLimit=9'),
      create('/o/b', 'now'),
      read(statPath('/o')),
    ),
  },
  {
    what: 'soft limits refuse nothing',
    steps: ops(
      create('/s'),
      ...setQuota('/s', 'count=1,bytes=2'),
      create('/s/a', '12345'),
      setData('/s/a', '123456789'),
      read(statPath('/s')),
    ),
  },
  {
    what: 'a hard limit overrides the soft one',
    steps: ops(
      create('/h'),
      ...setQuota('/h', 'count=1,bytes=1=;byteHardLimit=5;countHardLimit=2'),
      create('/h/a', '12'),
      create('/h/b'),
      setData('/h/a', '123456'),
      read(statPath('/h')),
    ),
  },
  {
    what: 'a multi is refused as a whole',
    steps: ops(
      create('/m'),
      ...setQuota('/m', 'count=-1,bytes=-1=;byteHardLimit=8;countHardLimit=2'),
      multi(create('/m/a', '123456789'), create('/other')),
      multi(create('/m/a', '1234'), setData('/m', '12')),
      multi(setData('/m/a', '123'), create('/m/b')),
      read(statPath('/m')),
    ),
  },
  {
    what: 'only the deepest quota counts',
    steps: ops(
      create('/d'),
      create('/d/e'),
      ...setQuota('/d', 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=3'),
      ...setQuota('/d/e', 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=2'),
      create('/d/e/1'),
      create('/d/e/2'),
      create('/d/f'),
      create('/d/g'),
      read(statPath('/d')),
      read(statPath('/d/e')),
      remove(limitPath('/d/e')),
      create('/d/e/3'),
      read(statPath('/d')),
      read(statPath('/d/e')),
    ),
  },
  {
    what: 'a limit without its usage znode is ignored',
    steps: ops(
      create('/u'),
      create('/zookeeper/quota/u'),
      create(limitPath('/u'), 'count=-1,bytes=-1=;byteHardLimit=0;countHardLimit=0'),
      create('/u/a', 'long enough'),
    ),
  },
];

oracleTest('the same writes exceed a quota, and the usage is the same', async () => {
  const [oracle, bundled] = await Promise.all([
    startOracle({ config: CONFIG }),
    startBundled({ config: CONFIG }),
  ]);
  try {
    for (const { what, steps } of HISTORIES) {
      const world = { clients: 1, steps };
      const difference = await compareServers(bundled.port, oracle.port, world);
      assert.equal(difference, undefined, `${what}\n${formatWorld(world)}`);
    }
  } finally {
    await Promise.all([oracle.close(), bundled.close()]);
  }
});

test('without enforceQuota, a hard limit refuses nothing', async () => {
  const bundled = await startBundled({ config: { ...CONFIG, enforceQuota: 'false' } });
  try {
    const client = await RawClient.connect(bundled.port);
    await client.call(OpCode.create, create('/n').value);
    for (const { type, value } of setQuota('/n', 'count=0,bytes=0=;countHardLimit=0')) {
      assert.is((await client.call(type, value)).err, 0);
    }
    assert.is((await client.call(OpCode.create, create('/n/a').value)).err, 0);
    await client.close();
  } finally {
    await bundled.close();
  }
});

type Serving = { readonly port: number; close(): Promise<void> };

/** Writes below a quota and stops. The next server continues the count. */
async function passOn(starts: readonly ((dataDir: string) => Promise<Serving>)[]): Promise<void> {
  const home = makeTempDir('quota');
  const limits = `count=-1,bytes=-1=;byteHardLimit=1000;countHardLimit=${starts.length * 2}`;
  try {
    for (const [turn, start] of starts.entries()) {
      const server = await start(home.path);
      try {
        const client = await RawClient.connect(server.port);
        const send = async (op: Op): Promise<number | undefined> =>
          (await client.request(op.type, encodeOp(op, 0n)))?.err;
        if (turn === 0) {
          for (const op of [create('/q'), ...setQuota('/q', limits)]) assert.is(await send(op), 0);
        }
        assert.is(await send(create(`/q/${turn}-a`, 'abc')), 0);
        if (turn < starts.length - 1) assert.is(await send(create(`/q/${turn}-b`, 'de')), 0);
        else assert.is(await send(create('/q/over')), ErrorCode.QUOTAEXCEEDED);
        const usage = (await walkTree(client, statPath('/q'))).get(statPath('/q'))?.data;
        const isLast = turn === starts.length - 1;
        const count = 1 + (turn + 1) * 2 - (isLast ? 1 : 0);
        assert.is(usage, `count=${count},bytes=${(turn + 1) * 5 - (isLast ? 2 : 0)}`);
        await client.close();
      } finally {
        await server.close();
      }
    }
  } finally {
    home.remove();
  }
}

const config = { ...CONFIG, snapCount: '4' };
const startOurs = (dataDir: string): Promise<Serving> => startBundled({ dataDir, config });
const startTheirs = (dataDir: string): Promise<Serving> => startOracle({ dataDir, config });

test('the usage is right after a restart, from snapshot and log', async () => {
  await passOn([startOurs, startOurs, startOurs]);
});

oracleTest('Apache continues the count of the bundled server, and back again', async () => {
  await passOn([startOurs, startTheirs, startOurs, startTheirs, startOurs]);
});

test.run();
