/** Fixed differences that the random comparison found: both servers must agree. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { compareServers } from './support/compare.js';
import { create, createTTL, exists, getData, HIDDEN, OPEN, send, setData } from './support/ops.js';
import { RawClient } from './support/raw-client.js';
import type { Op, Step } from './support/world.js';

/** Apache's server reads it only from JVM properties. */
const NO_REAPING = { 'znode.container.checkIntervalMs': '1000000000' };
const CONFIG = { tickTime: '2000', extendedTypesEnabled: 'true', ...NO_REAPING };
/**
 * The first test that needs them starts them, and the last one stops them, because a JVM takes a
 * second to start.
 */
const shared = new SharedByTests(startBoth);

async function startBoth() {
  const [oracle, bundled] = await Promise.all([
    startOracle({ config: CONFIG, properties: NO_REAPING }),
    startBundled({ config: CONFIG }),
  ]);
  const close = async () => {
    await bundled.close();
    await oracle.close();
  };
  return { oracle, bundled, close };
}

function by(client: number, ...ops: Op[]): Step {
  return { kind: 'requests', client, ops };
}

/** Requests that once had different responses. */
const MENDED: readonly { readonly what: string; steps(top: string): readonly Step[] }[] = [
  {
    what: 'in a multi, the mode selects the kind of create',
    steps: (top) => [
      by(0, {
        type: OpCode.multi,
        ops: [
          create(top),
          { ...create(`${top}/c`, 4), type: OpCode.create },
          createTTL(`${top}/e`, 0, 5000n),
          createTTL(`${top}/f`, 5, 3_600_000n),
          createTTL(`${top}/g`, 4, -1n),
        ],
      }),
      by(0, ...['c', 'e', 'f', 'g'].map((name) => exists(`${top}/${name}`, false))),
    ],
  },
  {
    what: 'a create of a TTL mode without a TTL fails the whole multi',
    steps: (top) => [
      by(0, { type: OpCode.multi, ops: [create(top), create(`${top}/c`, 5)] }, exists(top, false)),
    ],
  },
  {
    what: 'multiRead sets no watch, regardless of its flags',
    steps: (top) => [
      by(0, create(top), { type: OpCode.multiRead, ops: [getData(top, true)] }),
      by(1, setData(top)),
    ],
  },
  {
    what: 'getAllChildrenNumber of "" counts the root',
    steps: () => [
      by(0, ...['', '/'].map((path) => ({ type: OpCode.getAllChildrenNumber, value: { path } }))),
    ],
  },
  {
    what: 'reads before a closeSession in the same turn are answered',
    steps: (top) => [
      by(0, create(top), getData(top, false), setData(top), getData(top, false), {
        type: OpCode.closeSession,
      }),
    ],
  },
  {
    what: 'a watch on a znode that becomes hidden gets no event (CVE-2024-23944)',
    steps: (top) => [
      by(0, create(top)),
      by(1, getData(top, true), {
        type: OpCode.getChildren,
        value: { path: top, watch: true },
      }),
      by(0, { type: OpCode.setACL, value: { path: top, acl: HIDDEN, version: -1 } }),
      by(0, setData(top), create(`${top}/c`)),
      by(0, { type: OpCode.delete, value: { path: `${top}/c`, version: -1 } }),
      by(0, { type: OpCode.delete, value: { path: top, version: -1 } }),
    ],
  },
  {
    what: 'a closing session deletes ephemerals that are in flight',
    steps: (top) => [
      by(0, create(top)),
      by(1, exists(`${top}/e`, true)),
      by(
        0,
        create(`${top}/e`, 1),
        { type: OpCode.delete, value: { path: `${top}/e`, version: -1 } },
        create(`${top}/e`, 1),
        create(`${top}/s-`, 3),
        { type: OpCode.closeSession },
      ),
      by(1, { type: OpCode.getChildren2, value: { path: top, watch: false } }),
    ],
  },
  {
    what: 'a failed multi has no effect on later requests',
    steps: (top) => [
      by(
        0,
        create(top),
        {
          type: OpCode.multi,
          ops: [
            create(`${top}/s-`, 2),
            setData(top),
            { type: OpCode.delete, value: { path: `${top}/no`, version: -1 } },
          ],
        },
        { ...create(`${top}/s-`, 2), type: OpCode.create2 },
        { type: OpCode.setData, value: { path: top, data: null, version: 0 } },
        { type: OpCode.multi, ops: [] },
      ),
    ],
  },
];

for (const [index, { what, steps }] of MENDED.entries()) {
  const work = shared.use(async ({ oracle, bundled }) => {
    const world = { clients: 2, steps: steps(`/mended-${index}`) };
    assert.equal(await compareServers(bundled.port, oracle.port, world), undefined);
  });
  oracleTest(`both: ${what}`, work);
}

const compareAclOrder = shared.use(async ({ oracle, bundled }) => {
  const ip = { perms: 1, id: { scheme: 'ip', id: '127.0.0.1' } };
  const ann = { perms: 2, id: { scheme: 'digest', id: 'ann:x' } };
  for (const { port } of [bundled, oracle]) {
    const client = await RawClient.connect(port);
    await send(client, create('/acl', 0, [ann, ...OPEN, ip, ann, ...OPEN]));
    const { value } = await client.call(OpCode.getACL, { path: '/acl' });
    assert.equal((value as { acl: readonly ACL[] }).acl, [ann, ...OPEN, ip]);
    await client.close();
  }
});

oracleTest('both: an ACL keeps its order and loses its duplicates', compareAclOrder);

test.run();
