/**
 * SASL DIGEST-MD5 on the client port: the same exchange with Apache's server and the bundled one.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { startBundled } from '../support/bundled.js';
import { oracleTest, startOracle } from '../support/oracle.js';
import { makeTempDir } from '../support/temp-dir.js';
import { RawClient, type Reply } from './support/raw-client.js';

const PROVIDER = 'org.apache.zookeeper.server.auth';
const JAAS = `
// The users of the server
Server {
  ${PROVIDER}.DigestLoginModule required
  user_super="adminsecret"
  user_bob="bobsecret";
};
`;
const CONFIG = { 'authProvider.1': `${PROVIDER}.SASLAuthenticationProvider`, superUser: 'super' };

function md5(data: string | Buffer): Buffer {
  return createHash('md5').update(data).digest();
}

async function sendToken(client: RawClient, token: Buffer): Promise<Reply | undefined> {
  const out = new OutputArchive();
  out.writeBuffer(token);
  return client.request(OpCode.sasl, out.take());
}

function tokenOf(reply: Reply | undefined): string {
  if (reply === undefined) return 'closed';
  return new InputArchive(reply.body).readBuffer()?.toString('utf8') ?? 'none';
}

function proofOf(user: string, password: string, nonce: string, method: string): string {
  const uri = 'zookeeper/zk-sasl-md5';
  const secret = md5(`${user}:zk-sasl-md5:${password}`);
  const a1 = md5(Buffer.concat([secret, Buffer.from(`:${nonce}:cn`)])).toString('hex');
  const a2 = md5(`${method}:${uri}`).toString('hex');
  return md5(`${a1}:${nonce}:00000001:cn:auth:${a2}`).toString('hex');
}

/** Plays the client's side of RFC 2831; tells how it ended. */
async function login(client: RawClient, user: string, password: string): Promise<string> {
  const challenge = tokenOf(await sendToken(client, Buffer.alloc(0)));
  assert.match(challenge, /realm="zk-sasl-md5"/);
  assert.match(challenge, /algorithm=md5-sess/);
  const nonce = /nonce="([^"]*)"/.exec(challenge)?.[1] ?? '';
  const response = proofOf(user, password, nonce, 'AUTHENTICATE');
  const said = `charset=utf-8,username="${user}",realm="zk-sasl-md5",nonce="${nonce}",nc=00000001,cnonce="cn",digest-uri="zookeeper/zk-sasl-md5",maxbuf=65536,response=${response},qop=auth`;
  const reply = await sendToken(client, Buffer.from(said));
  if (reply?.err !== 0) return `${reply?.err} ${tokenOf(reply)}`;
  const token = tokenOf(reply);
  if (token === 'none') return 'borne';
  const isMutual = token === `rspauth=${proofOf(user, password, nonce, '')}`;
  return isMutual ? 'proved' : token;
}

async function play(port: number): Promise<string[]> {
  const lines: string[] = [];
  const bob = await RawClient.connect(port);
  lines.push(await login(bob, 'bob', 'bobsecret'));
  const own = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
  const make = (path: string, acl: unknown) => ({ path, data: null, acl, flags: 0 });
  lines.push(`own ${(await bob.call(OpCode.create, make('/own', own))).err}`);
  const { value } = await bob.call(OpCode.getACL, { path: '/own' });
  lines.push(JSON.stringify((value as { acl: unknown }).acl));
  const bad = [{ perms: 31, id: { scheme: 'sasl', id: 'a@b@c' } }];
  lines.push(`bad id ${(await bob.call(OpCode.create, make('/bad', bad))).err}`);
  const stranger = await RawClient.connect(port);
  const read = { path: '/own', watch: false };
  lines.push(`stranger ${(await stranger.call(OpCode.getData, read)).err}`);
  const admin = await RawClient.connect(port);
  lines.push(await login(admin, 'super', 'adminsecret'));
  lines.push(`super ${(await admin.call(OpCode.getData, read)).err}`);
  for (const [user, password] of [
    ['bob', 'guessed'],
    ['nobody', 'x'],
  ] as const) {
    const thief = await RawClient.connect(port);
    lines.push(await login(thief, user, password));
    await thief.closed;
  }
  for (const client of [bob, stranger, admin]) await client.close();
  return lines;
}

const EXPECTED = [
  'proved',
  'own 0',
  '[{"perms":31,"id":{"scheme":"sasl","id":"bob"}}]',
  `bad id ${ErrorCode.INVALIDACL}`,
  `stranger ${ErrorCode.NOAUTH}`,
  'proved',
  'super 0',
  `${ErrorCode.AUTHFAILED} none`,
  `${ErrorCode.AUTHFAILED} none`,
];

function writeJaas(): { file: string; remove: () => void } {
  const home = makeTempDir('jaas');
  const file = join(home.path, 'jaas.conf');
  writeFileSync(file, JAAS);
  return { file, remove: home.remove };
}

async function withBundled(
  config: Record<string, string>,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const jaas = writeJaas();
  try {
    const login = { 'java.security.auth.login.config': jaas.file };
    const server = await startBundled({ config: { ...CONFIG, ...login, ...config } });
    try {
      await use(server.port);
    } finally {
      await server.close();
    }
  } finally {
    jaas.remove();
  }
}

test('users of a JAAS file prove their passwords, and their ids count in ACLs', () =>
  withBundled({}, async (port) => {
    assert.equal(await play(port), EXPECTED);
  }));

oracleTest('Apache answers the same exchange alike', async () => {
  const jaas = writeJaas();
  try {
    const properties = { 'java.security.auth.login.config': jaas.file };
    const oracle = await startOracle({ config: CONFIG, properties });
    try {
      assert.equal(await play(oracle.port), EXPECTED);
    } finally {
      await oracle.close();
    }
  } finally {
    jaas.remove();
  }
});

test('allowSaslFailedClients serves who failed, without the id', () =>
  withBundled({ allowSaslFailedClients: 'true' }, async (port) => {
    const client = await RawClient.connect(port);
    assert.is(await login(client, 'bob', 'wrong'), 'borne');
    assert.is((await client.call(OpCode.exists, { path: '/', watch: false })).err, 0);
    await client.close();
  }));

test('sessionRequireClientSASLAuth serves nobody else', () =>
  withBundled({ sessionRequireClientSASLAuth: 'true' }, async (port) => {
    const stranger = await RawClient.connect(port);
    const { err } = await stranger.call(OpCode.exists, { path: '/', watch: false });
    assert.is(err, ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH);
    await stranger.closed;
    const bob = await RawClient.connect(port);
    assert.is(await login(bob, 'bob', 'bobsecret'), 'proved');
    assert.is((await bob.call(OpCode.exists, { path: '/', watch: false })).err, 0);
    await bob.close();
  }));

test('without a JAAS file a token is answered with none', async () => {
  const server = await startBundled();
  try {
    const client = await RawClient.connect(server.port);
    const reply = await sendToken(client, Buffer.alloc(0));
    assert.is(`${reply?.err} ${tokenOf(reply)}`, '0 none');
    await client.close();
  } finally {
    await server.close();
  }
});

test.run();
