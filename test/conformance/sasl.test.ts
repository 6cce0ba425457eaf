/**
 * SASL DIGEST-MD5 on the client port: the same exchange with Apache's server and the bundled one.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../src/client/base/errors.js';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/zookeeper.js';
import { InputArchive } from '../../src/jute/input-archive.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { CREATOR_ALL_ACL } from '../../src/protocol/perms.js';
import { callTask } from '../commands/zkops/call-task.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { runZksh } from '../support/terminal/run-zksh.js';
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

/** The client's side of RFC 2831. Returns the outcome. */
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

/** What a client of the library sees that logs in by SASL. */
async function logInByLibrary(port: number): Promise<string[]> {
  const connectString = `127.0.0.1:${port}`;
  const lines: string[] = [];
  const bob = createClient({ connectString, sasl: { user: 'bob', password: 'bobsecret' } });
  try {
    await bob.connect();
    const ids = await bob.whoAmI();
    lines.push(
      ids
        .map(({ authScheme, user }) => `${authScheme}:${user}`)
        .sort()
        .join(),
    );
    await bob.create('/of-bob', null, { acl: CREATOR_ALL_ACL });
    const { acl } = await bob.getACL('/of-bob');
    lines.push(acl.map(({ id }) => `${id.scheme}:${id.id}`).join());
  } finally {
    await bob.close();
  }
  const thief = createClient({ connectString, sasl: { user: 'bob', password: 'guessed' } });
  lines.push(await thief.connect().then(() => 'connected', codeOf));
  lines.push(thief.state);
  await thief.close();
  return lines;
}

function codeOf(error: unknown): string {
  return error instanceof ZooKeeperError ? error.code : String(error);
}

const OF_LIBRARY = ['ip:127.0.0.1,sasl:bob', 'sasl:bob', 'AUTHFAILED', 'auth-failed'];

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
    assert.equal(await logInByLibrary(port), OF_LIBRARY);
  }));

oracleTest('the same exchange with Apache gives the same responses', async () => {
  const jaas = writeJaas();
  try {
    const properties = { 'java.security.auth.login.config': jaas.file };
    const oracle = await startOracle({ config: CONFIG, properties });
    try {
      assert.equal(await play(oracle.port), EXPECTED);
      assert.equal(await logInByLibrary(oracle.port), OF_LIBRARY);
    } finally {
      await oracle.close();
    }
  } finally {
    jaas.remove();
  }
});

test('allowSaslFailedClients serves a client whose login failed, without the id', () =>
  withBundled({ allowSaslFailedClients: 'true' }, async (port) => {
    const client = await RawClient.connect(port);
    assert.is(await login(client, 'bob', 'wrong'), 'borne');
    assert.is((await client.call(OpCode.exists, { path: '/', watch: false })).err, 0);
    await client.close();
  }));

test('sessionRequireClientSASLAuth serves only authenticated clients', () =>
  withBundled({ sessionRequireClientSASLAuth: 'true' }, async (port) => {
    const stranger = await RawClient.connect(port);
    const { err } = await stranger.call(OpCode.exists, { path: '/', watch: false });
    assert.is(err, ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH);
    await stranger.closed;
    const bob = await RawClient.connect(port);
    assert.is(await login(bob, 'bob', 'bobsecret'), 'proved');
    assert.is((await bob.call(OpCode.exists, { path: '/', watch: false })).err, 0);
    await bob.close();
    const home = makeTempDir('sasl');
    const file = join(home.path, 'sasl');
    writeFileSync(file, 'bob:bobsecret\n', { mode: 0o600 });
    const server = `127.0.0.1:${port}`;
    try {
      assert.is((await runZksh([server, '-c', 'ls /'])).code !== 0, true);
      const shell = await runZksh(['--sasl-file', file, server, '-c', 'whoami']);
      assert.match(shell.stdout, /sasl: bob/);
      const without = await callTask(['smoke', '--servers', server], { ask: askWord });
      assert.is(without.exitCode, 2);
      const smoke = await callTask(['smoke', '--servers', server, '--sasl-file', file], {
        ask: askWord,
      });
      assert.is(smoke.exitCode, 0, smoke.out);
    } finally {
      home.remove();
    }
  }));

for (const [text, fault] of [
  [
    'Server { com.sun.security.auth.module.Krb5LoginModule required; };',
    /Krb5LoginModule needs useKeyTab=true/,
  ],
  ['Server { DigestLoginModule required user_a="b" };', /line 1: found "}" \(expected/],
] as const) {
  test(`a server does not start without the authentication that its file asks for: ${text}`, async () => {
    const home = makeTempDir('jaas');
    const file = join(home.path, 'jaas.conf');
    writeFileSync(file, text);
    const config = { 'java.security.auth.login.config': file };
    try {
      const start = startBundled({ config }).then((server) => server.close());
      const refusal = await start.then(() => 'started', String);
      assert.match(refusal, fault);
      const named = { ...config, 'sasl.serverconfig': 'None' };
      writeFileSync(file, JAAS);
      const other = startBundled({ config: named }).then((server) => server.close());
      assert.match(await other.then(() => 'started', String), /section None: not found/);
    } finally {
      home.remove();
    }
  });
}

test('without a JAAS file, a token gets no token in response', async () => {
  const server = await startBundled();
  try {
    const client = await RawClient.connect(server.port);
    const reply = await sendToken(client, Buffer.alloc(0));
    assert.is(`${reply?.err} ${tokenOf(reply)}`, '0 none');
    await client.close();
    const bob = createClient({
      connectString: `127.0.0.1:${server.port}`,
      sasl: { user: 'bob', password: 'bobsecret' },
    });
    const refused = await bob.connect().catch((error: Error) => String(error.cause));
    assert.match(String(refused), /does not use SASL, or refused the login/);
    await bob.close();
  } finally {
    await server.close();
  }
});

test.run();
