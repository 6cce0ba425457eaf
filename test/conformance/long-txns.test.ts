/**
 * A server never writes a txn longer than a reader accepts, because it must read its log again.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { encodeOp } from './support/encode-op.js';
import { RawClient } from './support/raw-client.js';
import type { Op } from './support/world.js';

/** The maximum length of a log entry is 3072 bytes. */
const LENGTHS = { 'jute.maxbuffer': '2048', 'jute.maxbuffer.extrasize': '1024' };
const CONFIG = { ...LENGTHS, snapCount: '100000' };
const EPHEMERALS = 100;
const OWN = [{ perms: 31, id: { scheme: 'auth', id: '' } }];

function create(path: string, flags = 0, acl: unknown = OPEN_ACL_UNSAFE): Op {
  return { type: OpCode.create, value: { path, data: null, acl, flags } };
}

async function countChildren(port: number): Promise<number> {
  const client = await RawClient.connect(port);
  const reply = await client.call(OpCode.getChildren, { path: '/', watch: false });
  await client.close();
  return (reply.value as { children: string[] }).children.length;
}

/** A session with more ephemerals than fit in a txn ends, and then a plain znode is created. */
async function leaveLongClose(dataDir: string): Promise<void> {
  const server = await startBundled({ dataDir, config: CONFIG });
  try {
    const owner = await RawClient.connect(server.port);
    for (let i = 0; i < EPHEMERALS; i++) {
      const path = `/ephemeral-with-quite-a-long-name-${i}`;
      assert.is((await owner.call(OpCode.create, create(path, 1).value)).err, 0);
    }
    await owner.close();
    const other = await RawClient.connect(server.port);
    assert.is((await other.call(OpCode.create, create('/after').value)).err, 0);
    await other.drop();
    assert.is(await countChildren(server.port), 2);
  } finally {
    await server.close();
  }
}

test('a server starts from a log in which a session with very many ephemerals ended', async () => {
  const home = makeTempDir('long-close');
  try {
    await leaveLongClose(home.path);
    const warnings: string[] = [];
    const server = await startBundled({
      dataDir: home.path,
      config: CONFIG,
      onWarning: (message) => warnings.push(message),
    });
    try {
      assert.is(await countChildren(server.port), 2);
      assert.equal(warnings, [], 'the digests agree');
    } finally {
      await server.close();
    }
  } finally {
    home.remove();
  }
});

oracleTest('so does Apache', async () => {
  const home = makeTempDir('long-close');
  try {
    await leaveLongClose(home.path);
    const oracle = await startOracle({ dataDir: home.path, properties: LENGTHS });
    try {
      assert.is(await countChildren(oracle.port), 2);
    } finally {
      await oracle.close();
    }
  } finally {
    home.remove();
  }
});

test('a multi that its ACLs would make too long is refused without effect', async () => {
  const home = makeTempDir('long-multi');
  const options = { dataDir: home.path, config: CONFIG };
  try {
    const first = await startBundled(options);
    try {
      await makeMultis(first.port);
    } finally {
      await first.close();
    }
    const second = await startBundled(options);
    try {
      assert.is(await countChildren(second.port), 4);
    } finally {
      await second.close();
    }
  } finally {
    home.remove();
  }
});

async function makeMultis(port: number): Promise<void> {
  const client = await RawClient.connect(port);
  for (let i = 0; i < 20; i++) {
    const auth = Buffer.from(`user-${i}:password`);
    await client.call(OpCode.auth, { type: 0, scheme: 'digest', auth });
  }
  const send = async (...ops: Op[]) => {
    const op = { type: OpCode.multi, ops };
    return (await client.request(op.type, encodeOp(op, 0n)))?.err;
  };
  // Each `auth` becomes 20 ids of some 50 bytes.
  assert.is(await send(create('/one', 0, OWN), create('/two', 0, OWN)), 0);
  const many = Array.from({ length: 5 }, (_, i) => create(`/n${i}`, 0, OWN));
  assert.is(await send(...many), ErrorCode.MARSHALLINGERROR);
  assert.is((await client.call(OpCode.create, create('/n0').value)).err, 0);
  await client.close();
}

test.run();
