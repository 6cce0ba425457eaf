/** Which ids of an ACL, and which auths, each server takes, of many at random. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorName } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { Random } from '../support/random.js';
import { RawClient } from './support/raw-client.js';

const SASL = {
  'authProvider.1': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
};
/** Parts that are put together at random, by scheme. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  digest: [':', '::', 'bob', 'x', '', ' ', 'hash=', 'é', '\n', '/', '@'],
  sasl: ['@', '/', 'bob', 'zk1', 'REALM', '', ' ', ':', '\n', 'é'],
  ip: [
    '127',
    '0',
    '10',
    '1',
    '255',
    '256',
    '.',
    '.',
    '.',
    '/',
    '8',
    '32',
    '33',
    '+',
    '-',
    ' ',
    '0x1',
  ],
  world: ['anyone', '', 'Anyone', ' ', 'any'],
  auth: ['', 'bob', ':', 'anyone'],
  super: ['', 'x'],
  nosuch: ['', 'x'],
};
const FIXED: Readonly<Record<string, readonly string[]>> = {
  digest: ['bob:', ':', '', 'bob:x', 'bob:x:', 'a:b::', '::', ':x', '::x', 'a::b', 'a:b:c', 'a:::'],
  sasl: ['bob', '', 'a@b', 'a/b@c', 'a/b/c@d', 'a@b@c', '@', '/', 'a/b', '/@', 'a@'],
  ip: [
    '127.0.0.1',
    '127.0.0.1/8',
    '127.1.1.1/8',
    '127.0.0.1/33',
    '127.0.0.1/-1',
    '127.0.0.1/+8',
    '127.0.0.1/-0',
    '127.0.0.1/008',
    '127.0.0.1/',
    '127.0.0.1/8/8',
    '10.0.0.0/0',
    '10.0.0.1',
    '127.0.0.+1',
    '127.0.0.-0',
    '127.0.0.0000001',
    '127.0.0',
    '127.0.0.1.',
    '.127.0.0.1',
    '127.0.0.256',
    'localhost',
    '',
    '/',
  ],
  world: ['anyone', '', 'anyone '],
  auth: ['', 'x'],
  super: [''],
  nosuch: ['x'],
};
const RANDOM_IDS = 120;

function idsOf(scheme: string): readonly string[] {
  const random = new Random(7);
  const parts = PARTS[scheme] ?? [];
  const made = Array.from({ length: RANDOM_IDS }, () =>
    Array.from({ length: 1 + random.below(8) }, () => random.pick(parts)).join(''),
  );
  return [...new Set([...(FIXED[scheme] ?? []), ...made])];
}

/** Each id with the answer to a create, and to a read of what it made. */
async function answersOf(port: number): Promise<string[]> {
  const client = await RawClient.connect(port);
  const answers: string[] = [];
  let made = 0;
  for (const scheme of Object.keys(PARTS)) {
    for (const id of idsOf(scheme)) {
      const path = `/n${made++}`;
      const acl = [{ perms: 31, id: { scheme, id } }];
      const { err } = await client.call(OpCode.create, { path, data: null, acl, flags: 0 });
      const read = await client.call(OpCode.getData, { path, watch: false });
      answers.push(`${scheme} ${JSON.stringify(id)}: ${errorName(err)} ${errorName(read.err)}`);
    }
  }
  await client.drop();
  return answers;
}

const AUTHS: readonly (readonly [scheme: string, auth: string | null])[] = [
  ['digest', null],
  ['digest', ''],
  ['digest', ':'],
  ['digest', 'bob'],
  ['digest', 'bob:'],
  ['digest', 'bob:a:b'],
  ['ip', null],
  ['ip', ''],
  ['ip', 'x'],
  ['world', 'anyone'],
  ['nosuch', ''],
  ['sasl', 'bob'],
  ['', ''],
];

/** Each auth with its answer, and the id that it gives. */
async function authsOf(port: number): Promise<string[]> {
  const answers: string[] = [];
  for (const [index, [scheme, auth]] of AUTHS.entries()) {
    const client = await RawClient.connect(port);
    const packet = { type: 0, scheme, auth: auth === null ? null : Buffer.from(auth) };
    const { err } = await client.call(OpCode.auth, packet);
    let ids = '';
    if (err === 0) {
      const path = `/auth${index}`;
      const acl = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
      const made = await client.call(OpCode.create, { path, data: null, acl, flags: 0 });
      const found = made.err === 0 ? await client.call(OpCode.getACL, { path }) : undefined;
      ids = `${errorName(made.err)} ${JSON.stringify((found?.value as { acl?: unknown })?.acl)}`;
    }
    answers.push(`${scheme} ${JSON.stringify(auth)}: ${errorName(err)} ${ids}`);
    await client.drop();
  }
  return answers;
}

oracleTest('both servers take the same ids and auths', async () => {
  const oracle = await startOracle({ config: SASL });
  const server = await startBundled({ config: SASL });
  try {
    const [theirs, ours] = [await answersOf(oracle.port), await answersOf(server.port)];
    assert.ok(theirs.some((answer) => answer.endsWith('INVALIDACL NONODE')));
    assert.is(ours.length, theirs.length);
    const differ = theirs.flatMap((their, at) => (their === ours[at] ? [] : [[their, ours[at]]]));
    assert.equal(differ, []);
    assert.equal(await authsOf(server.port), await authsOf(oracle.port));
  } finally {
    await server.close();
    await oracle.close();
  }
});

test.run();
