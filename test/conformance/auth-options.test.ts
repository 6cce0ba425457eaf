/** Options of authentication, compared with Apache's server where it has them too. */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { RawClient } from './support/raw-client.js';

const NOTHING = Buffer.alloc(0);
const AUTH_BOB = { type: 0, scheme: 'digest', auth: Buffer.from('bob:secret') };
const OWN = [{ perms: 31, id: { scheme: 'auth', id: '' } }];

/** The view of a client, as text. */
type Play = (client: RawClient) => Promise<string>;

async function errorOf(client: RawClient, type: number, value: unknown): Promise<string> {
  try {
    const { err, zxid } = await client.call(type, value);
    return zxid === 0n ? `${err} at 0` : `${err}`;
  } catch {
    return 'closed';
  }
}

function create(path: string, acl: unknown = OPEN_ACL_UNSAFE) {
  return { path, data: null, acl, flags: 0 };
}

const enforced: Play = async (client) => {
  const refused = await RawClient.connect(client.port);
  const first = await errorOf(refused, OpCode.exists, { path: '/', watch: false });
  await refused.closed;
  const pinging = await RawClient.connect(client.port);
  const ping = (await pinging.ping())?.err;
  await pinging.closed;
  const auth = await errorOf(client, OpCode.auth, AUTH_BOB);
  const then = await errorOf(client, OpCode.create, create('/a', OWN));
  return [first, ping, auth, then].join();
};

const withoutDigest: Play = async (client) => {
  const acl = [{ perms: 31, id: { scheme: 'digest', id: 'bob:hash' } }];
  const invalid = await errorOf(client, OpCode.create, create('/d', acl));
  const auth = await errorOf(client, OpCode.auth, AUTH_BOB);
  await client.closed;
  return [invalid, auth].join();
};

const withoutTls: Play = (client) =>
  errorOf(client, OpCode.create, create('/x', [{ perms: 31, id: { scheme: 'x509', id: 'CN=a' } }]));

const bySha256: Play = async (client) => {
  await client.call(OpCode.auth, AUTH_BOB);
  const made = await errorOf(client, OpCode.create, create('/own', OWN));
  const reply = await client.call(OpCode.getACL, { path: '/own' });
  const { acl } = reply.value as { acl: { id: { id: string } }[] };
  return `${made} ${acl[0]?.id.id}`;
};

const openToAll: Play = async (client) => {
  const locked = [{ perms: 1, id: { scheme: 'digest', id: 'nobody:hash' } }];
  const made = await errorOf(client, OpCode.create, create('/locked', locked));
  const set = await errorOf(client, OpCode.setData, { path: '/locked', data: null, version: -1 });
  return [made, set].join();
};

const CASES: readonly {
  readonly what: string;
  readonly config: Readonly<Record<string, string>>;
  readonly play: Play;
  readonly sees: string;
}[] = [
  {
    what: 'enforce.auth.schemes: the server refuses requests without an id of one of them',
    config: { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest' },
    play: enforced,
    sees: `${ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH} at 0,${ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH},0 at 0,0`,
  },
  {
    what: 'without TLS, the scheme x509 does not exist',
    config: {},
    play: withoutTls,
    sees: `${ErrorCode.INVALIDACL}`,
  },
  {
    what: 'DigestAuthenticationProvider.digestAlg',
    config: { 'DigestAuthenticationProvider.digestAlg': 'SHA-256' },
    play: bySha256,
    sees: `0 bob:${createHash('sha256').update('bob:secret').digest('base64')}`,
  },
  { what: 'skipACL', config: { skipACL: 'yes' }, play: openToAll, sees: '0,0' },
];

for (const { what, config, play, sees } of CASES) {
  test(what, async () => {
    const server = await startBundled({ config });
    try {
      assert.is(await play(await RawClient.connect(server.port)), sees);
    } finally {
      await server.close();
    }
  });

  oracleTest(`Apache: ${what}`, async () => {
    const oracle = await startOracle({ config });
    try {
      assert.is(await play(await RawClient.connect(oracle.port)), sees);
    } finally {
      await oracle.close();
    }
  });
}

test('DigestAuthenticationProvider.enabled=false: the scheme does not exist', async () => {
  const config = { 'DigestAuthenticationProvider.enabled': 'false' };
  const server = await startBundled({ config });
  try {
    const sees = await withoutDigest(await RawClient.connect(server.port));
    assert.is(sees, `${ErrorCode.INVALIDACL},${ErrorCode.AUTHFAILED} at 0`);
  } finally {
    await server.close();
  }
});

test('a hash that the platform lacks is reported with its option', async () => {
  const config = { 'DigestAuthenticationProvider.digestAlg': 'ROT13' };
  await startBundled({ config }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /digestAlg: unknown hash: "ROT13"/),
  );
});

test('a client that only closes its session needs an id too', async () => {
  const config = { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest' };
  const server = await startBundled({ config });
  try {
    const client = await RawClient.connect(server.port);
    const reply = await client.request(OpCode.closeSession, NOTHING);
    assert.is(reply?.err, ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH);
    await client.closed;
  } finally {
    await server.close();
  }
});

test.run();
