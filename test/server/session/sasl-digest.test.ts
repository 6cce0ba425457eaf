import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDirectives } from '../../../src/protocol/digest-proof.js';
import type { SaslStep } from '../../../src/protocol/sasl-step.js';
import { SaslDigest } from '../../../src/server/session/sasl-digest.js';

const OPTIONS = {
  users: new Map([['chris', 'secret']]),
  md5: (bytes: Buffer) => createHash('md5').update(bytes).digest(),
  nonce: () => 'OA6MG9tEQGm2hh',
};
/** Worked out apart, by the formulas of RFC 2831. */
const GOOD = {
  username: '"chris"',
  realm: '"zk-sasl-md5"',
  nonce: '"OA6MG9tEQGm2hh"',
  nc: '00000001',
  cnonce: '"OA6MHXh6VqTrRk"',
  'digest-uri': '"zookeeper/zk-sasl-md5"',
  qop: 'auth',
};

function md5(data: string | Buffer): Buffer {
  return createHash('md5').update(data).digest();
}

function proof(method: string): string {
  const a1 = md5(
    Buffer.concat([md5('chris:zk-sasl-md5:secret'), Buffer.from(':OA6MG9tEQGm2hh:OA6MHXh6VqTrRk')]),
  ).toString('hex');
  const a2 = md5(`${method}:zookeeper/zk-sasl-md5`).toString('hex');
  return md5(`${a1}:OA6MG9tEQGm2hh:00000001:OA6MHXh6VqTrRk:auth:${a2}`).toString('hex');
}

function answer(changes: Record<string, string> = {}): SaslStep {
  const exchange = new SaslDigest(OPTIONS);
  exchange.step(Buffer.alloc(0));
  const said = { ...GOOD, response: proof('AUTHENTICATE'), ...changes };
  const text = Object.entries(said).map(([name, value]) => `${name}=${value}`);
  return exchange.step(Buffer.from(text.join(',')));
}

test('the right answer names the user and proves the server', () => {
  const step = answer();
  assert.is(step.kind, 'done');
  if (step.kind !== 'done') return;
  assert.is(step.user, 'chris');
  assert.is(step.token.toString(), `rspauth=${proof('')}`);
});

for (const [what, changes] of [
  ['a wrong response', { response: '0'.repeat(32) }],
  ['no response', { response: '' }],
  ['an unknown user', { username: '"eve"' }],
  ['another nonce', { nonce: '"other"' }],
  ['a nonce used again', { nc: '00000002' }],
  ['another service', { 'digest-uri': '"imap/zk-sasl-md5"' }],
  ['another quality of protection', { qop: 'auth-conf' }],
  ['no cnonce', { cnonce: '""' }],
  ['an invalid directive', { 'a b': 'c' }],
] as const) {
  test(`refused: ${what}`, () => {
    assert.is(answer(changes).kind, 'failed');
  });
}

test('a token of many blanks takes linear time', () => {
  const exchange = new SaslDigest(OPTIONS);
  exchange.step(Buffer.alloc(0));
  assert.is(exchange.step(Buffer.from(`username=${' '.repeat(1_000_000)}"`)).kind, 'failed');
});

test('blanks around names and values do not count', () => {
  const directives = parseDirectives(' a = b , c= "d e" ,f =\t, g=');
  const wanted = { a: 'b', c: 'd e', f: '', g: '' };
  assert.equal(directives, new Map(Object.entries(wanted)));
});

test('an exchange begins with an empty token, and ends with its answer', () => {
  assert.is(new SaslDigest(OPTIONS).step(Buffer.from('x')).kind, 'failed');
  const exchange = new SaslDigest(OPTIONS);
  exchange.step(Buffer.alloc(0));
  assert.is(exchange.step(Buffer.from('username="chris",username="chris"')).kind, 'failed');
  assert.is(exchange.step(Buffer.alloc(0)).kind, 'failed');
});

test.run();
