import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { digestProof } from '../../src/protocol/digest-proof.js';
import { SaslDigestClient } from '../../src/protocol/sasl-digest-client.js';
import { SaslDigest } from '../../src/server/session/sasl-digest.js';

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest();
const NAMES = { realm: 'servers', uri: 'quorum/servers' };

test('the example of RFC 2831', () => {
  const claim = {
    user: 'chris',
    realm: 'elwood.innosoft.com',
    password: 'secret',
    nonce: 'OA6MG9tEQGm2hh',
    cnonce: 'OA6MHXh6VqTrRk',
    authzid: undefined,
    uri: 'imap/elwood.innosoft.com',
  };
  assert.is(digestProof(md5, claim, 'AUTHENTICATE'), 'd388dad90d4bbd760a152321f2143af7');
  assert.is(digestProof(md5, claim, ''), 'ea40f60335c427b5527b84dbabcdfffd');
});

function clientOf(user: string, password: string): SaslDigestClient {
  return new SaslDigestClient({
    login: { user, password },
    names: NAMES,
    md5,
    nonce: () => 'cnonce',
  });
}

/** How the exchange ends at the server, and at the client. */
function exchange(user: string, password: string, names = NAMES): string {
  const users = new Map([['zk "1"', 'se\\cret']]);
  const server = new SaslDigest({ users, names, md5, nonce: () => 'nonce' });
  const client = clientOf(user, password);
  const challenge = server.step(Buffer.alloc(0));
  assert.is(challenge.kind, 'continue');
  const answer = client.step(challenge.kind === 'continue' ? challenge.token : Buffer.alloc(0));
  if (answer.kind !== 'continue') return `client ${answer.kind}`;
  const verdict = server.step(answer.token);
  if (verdict.kind === 'failed') return `server failed: ${verdict.reason}`;
  return `${verdict.kind}, ${client.step(verdict.token).kind}`;
}

test('it logs in where the password is right, and both are proved', () => {
  assert.is(exchange('zk "1"', 'se\\cret'), 'done, done');
  assert.is(exchange('zk "1"', 'guess'), 'server failed: wrong password');
  assert.is(exchange('eve', 'se\\cret'), 'server failed: unknown user "eve"');
});

test('servers and clients have names of their own', () => {
  const other = { realm: 'servers', uri: 'other/servers' };
  assert.is(exchange('zk "1"', 'se\\cret', other), 'server failed: wrong digest-uri');
});

test('a server that does not know the password is not believed', () => {
  const client = clientOf('zk', 'secret');
  client.step(Buffer.from('realm="r",nonce="n",algorithm=md5-sess'));
  assert.is(client.step(Buffer.from('rspauth=00')).kind, 'failed');
  assert.is(client.step(Buffer.from('')).kind, 'failed');
});

for (const [what, challenge] of [
  ['no list', 'what?'],
  ['no nonce', 'realm="r",algorithm=md5-sess'],
  ['another algorithm', 'nonce="n",algorithm=md5'],
  ['no qop that is known here', 'nonce="n",algorithm=md5-sess,qop="auth-int,auth-conf"'],
] as const) {
  test(`a challenge with ${what} is not answered`, () => {
    assert.is(clientOf('zk', 'secret').step(Buffer.from(challenge)).kind, 'failed');
  });
}

test('one of several qops will do', () => {
  const challenge = Buffer.from('nonce="n",algorithm=md5-sess,qop="auth-int, auth"');
  const step = clientOf('zk', 'secret').step(challenge);
  assert.is(step.kind, 'continue');
  if (step.kind === 'continue') assert.match(step.token.toString(), /realm="servers",.*qop=auth,/);
});

test.run();
