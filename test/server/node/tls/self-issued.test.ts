import { connect, createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTrustCheck } from '../../../../src/server/node/tls/self-issued.js';
import { type Authority, type Credentials, makeAuthority } from '../../../support/tls/certs.js';

/** Whether a server with that trust store trusts that client. */
async function isTrusted(
  trust: Pick<SecureContextOptions, 'ca' | 'crl'>,
  { cert, key }: Pick<Credentials, 'cert' | 'key'>,
): Promise<boolean> {
  const own = makeAuthority('Server CA').issue({ names: ['localhost'] });
  const context = { ...trust, cert: own.cert, key: own.key };
  const isAccepted = makeTrustCheck(context);
  const server = createServer({ ...context, requestCert: true, rejectUnauthorized: false });
  const accepted = new Promise<boolean>((resolve) =>
    server.once('secureConnection', (socket: TLSSocket) => {
      resolve(isAccepted(socket));
      socket.destroy();
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  const client = connect({ port, host: '127.0.0.1', cert, key, rejectUnauthorized: false });
  client.on('error', () => undefined).resume();
  try {
    return await accepted;
  } finally {
    client.destroy();
    server.close();
  }
}

const SUBJECT = [[['CN', 'Test CA']]] as const;
const DAY_MS = 86_400_000;

const sameName = (authority: Pick<Authority, 'issue'>, options = {}): Credentials =>
  authority.issue({ subject: SUBJECT, ...options });

test('a certificate with the name of its authority is trusted by the signature', async () => {
  const authority = makeAuthority();
  const ca = ['Other CA', 'Test CA'].map((name) => makeAuthority(name).cert);
  assert.ok(await isTrusted({ ca: [...ca, authority.cert] }, sameName(authority)));
  assert.ok(await isTrusted({ ca: authority.cert }, authority.issue({ names: ['client'] })));
});

test('nobody else with that name is trusted', async () => {
  const authority = makeAuthority();
  const ca = [authority.cert];
  const impostor = makeAuthority();
  assert.not.ok(await isTrusted({ ca }, sameName(impostor)));
  assert.not.ok(await isTrusted({ ca }, makeAuthority('Else').issue({ names: ['client'] })));
  const notAfter = new Date(Date.now() - DAY_MS / 2);
  assert.not.ok(await isTrusted({ ca }, sameName(authority, { notAfter })));
  const notBefore = new Date(Date.now() + DAY_MS / 2);
  assert.not.ok(await isTrusted({ ca }, sameName(authority, { notBefore })));
});

test('a certificate in the trust store that is not an authority signs nothing', async () => {
  const authority = makeAuthority();
  const member = sameName(authority);
  const client = sameName(authority.within(member));
  assert.not.ok(await isTrusted({ ca: [member.cert] }, client));
  assert.not.ok(await isTrusted({ ca: [authority.cert, member.cert] }, client));
});

test('with revocation lists, OpenSSL alone decides', async () => {
  const authority = makeAuthority();
  const trust = { ca: [authority.cert], crl: [authority.revoke()] };
  assert.not.ok(await isTrusted(trust, sameName(authority)));
  assert.ok(await isTrusted(trust, authority.issue({ names: ['client'] })));
});

test.run();
