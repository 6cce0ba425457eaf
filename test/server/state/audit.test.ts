// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../src/client/zookeeper.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { auditEntries, formatAuditEntry } from '../../../src/server/state/audit.js';
import type { Request } from '../../../src/server/state/request.js';
import { oracleTest, startOracle } from '../../support/apache/oracle.js';
import { startBundled } from '../../support/bundled.js';
import { waitFor } from '../../support/wait-for.js';
import { ServerWorld } from '../server-world.js';

const EVERYBODY = { scheme: 'world', id: 'anyone' };

/** Changes of every kind, those that fail among them. */
async function change(connectString: string): Promise<void> {
  const client = new ZooKeeper({ connectString });
  const failing = (promise: Promise<unknown>) =>
    promise.then(
      () => assert.unreachable('it was to fail'),
      () => undefined,
    );
  try {
    await client.connect();
    await client.create('/a', Buffer.from('x'));
    await failing(client.create('/a'));
    await client.create('/e', null, { mode: CreateModes.EPHEMERAL });
    await client.create('/s-', null, { mode: CreateModes.PERSISTENT_SEQUENTIAL });
    await client.create('/c', null, { mode: CreateModes.CONTAINER });
    await client.setData('/a', Buffer.from('y'));
    await failing(client.setData('/a', null, 77));
    await client.setACL('/a', [{ perms: Perms.ALL, id: EVERYBODY }]);
    await failing(client.setACL('/none', [{ perms: Perms.READ, id: EVERYBODY }]));
    await client.addAuth('digest', 'bob:secret');
    await client.multi([
      { op: 'create', path: '/m' },
      { op: 'set', path: '/m', data: Buffer.from('1') },
      { op: 'check', path: '/m', version: -1 },
      { op: 'delete', path: '/m' },
    ]);
    await failing(
      client.multi([
        { op: 'create', path: '/m' },
        { op: 'delete', path: '/none' },
      ]),
    );
    await failing(client.delete('/none'));
    await client.delete('/a');
    await failing(client.reconfig({ joining: 'server.1=a:1:2' }));
    await client.getData('/c');
  } finally {
    await client.close();
  }
}

function withoutIds(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^session=0x[0-9a-f]+/, 'session=ID'));
}

async function auditOfBundled(): Promise<string[]> {
  const lines: string[] = [];
  const server = await startBundled({
    config: { 'audit.enable': 'true' },
    onReport: (report) => {
      if (report.kind === 'audit') lines.push(formatAuditEntry(report.entry, 'zookeeper'));
    },
  });
  try {
    await change(server.connectString);
  } finally {
    await server.close();
  }
  return withoutIds(lines);
}

const WHO = 'session=ID\tuser=127.0.0.1\tip=127.0.0.1\t';

test('each change is a line with user, path and result', async () => {
  const lines = await auditOfBundled();
  assert.is(lines[0], 'user=zookeeper\toperation=serverStart\tresult=success');
  assert.is(lines.at(-1), 'user=zookeeper\toperation=serverStop\tresult=invoked');
  assert.equal(lines.slice(1, 3), [
    `${WHO}operation=create\tznode=/a\tznode_type=persistent\tresult=success`,
    `${WHO}operation=create\tznode=/a\tznode_type=persistent\tresult=failure`,
  ]);
  assert.ok(
    lines.includes(`${WHO}operation=setAcl\tznode=/a\tacl=world:anyone:cdrwa\tresult=success`),
  );
});

test('without audit.enable nothing is logged', async () => {
  const kinds = new Set<string>();
  const server = await startBundled({ onReport: ({ kind }) => kinds.add(kind) });
  try {
    await change(server.connectString);
  } finally {
    await server.close();
  }
  assert.not(kinds.has('audit'));
});

oracleTest("the lines are those of Apache's server", async () => {
  const oracle = await startOracle({
    config: { 'audit.enable': true },
    properties: { 'zookeeper.extendedTypesEnabled': 'true' },
  });
  try {
    await change(oracle.connectString);
    await waitFor('the last line', () => /Expire\tznode=\/e/.test(oracle.output()));
    const theirs = [...oracle.output().matchAll(/Slf4jAuditLogger - (.*)/g)].map(([, line = '']) =>
      line.replace(/user=\S+\toperation=(server|eph)/, 'user=zookeeper\toperation=$1'),
    );
    const ours = await auditOfBundled();
    assert.equal(ours.slice(0, -1), withoutIds(theirs));
  } finally {
    await oracle.close();
  }
});

test('a change has the user at the time of the request, not of the commit', () => {
  const world = new ServerWorld();
  const { reporter } = world.server.state;
  Object.assign(reporter, { options: { slowRequestMs: 0, isAudited: true } });
  const client = world.client();
  const auth = { type: 0, scheme: 'digest', auth: Buffer.from('bob:secret') };
  // It is answered at once, before the pending write is committed.
  const authFrame = client.request(OpCode.auth, auth, Xid.auth);
  const [before, after] = [client.create('/before'), client.create('/after')];
  client.push(Buffer.concat([before, authFrame, after]));
  world.ackAll();
  const users = world.effects
    .flatMap((effect) =>
      effect.kind === 'report' && effect.report.kind === 'audit' ? [effect.report.entry] : [],
    )
    .map(({ znode, user }) => `${znode} by ${user}`);
  assert.equal(users, ['/before by 127.0.0.1', '/after by bob,127.0.0.1']);
});

test('the audit log names no user for an empty container that the server deletes', () => {
  const request = { sessionId: 0n, audit: null, connection: null } as unknown as Request;
  const entries = auditEntries(request, { type: OpCode.deleteContainer, path: '/c' });
  assert.equal([...entries], [{ operation: 'delete', znode: '/c', result: 'success' }]);
});

test.run();
