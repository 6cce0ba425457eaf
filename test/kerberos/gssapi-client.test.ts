/** Both sides of SASL GSSAPI against each other; conformance tests use Apache's acceptor. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Acceptor } from '../../src/kerberos/acceptor.js';
import { encrypt, type KerberosKey } from '../../src/kerberos/encryption.js';
import type { Credentials } from '../../src/kerberos/get-ticket.js';
import { GssContext } from '../../src/kerberos/gss-token.js';
import { GssapiClient } from '../../src/kerberos/gssapi-client.js';
import { GssapiServer } from '../../src/kerberos/gssapi-server.js';
import { parseKeytab } from '../../src/kerberos/keytab.js';
import type { SaslClientStep, SaslStep } from '../../src/protocol/sasl-step.js';
import { Random } from '../support/random.js';
import { credentialsOf } from './fake-kdc.js';
import { makeKeytab, NOW_MS, REALM, SERVICE, SESSION_KEY } from './make-login.js';

const NOTHING = Buffer.alloc(0);

const makeClient = (credentials: Credentials = credentialsOf(), nowMs = NOW_MS) =>
  new GssapiClient(credentials, nowMs);
function makeServer(): GssapiServer {
  const acceptor = new Acceptor({
    principal: `${SERVICE}@${REALM}`,
    keys: () => parseKeytab(makeKeytab()),
    now: () => NOW_MS,
  });
  return new GssapiServer(acceptor, (client) => client);
}

function tokenOf(step: SaslStep | SaslClientStep): Buffer {
  if (step.kind === 'failed') throw new Error(step.reason);
  return 'token' in step ? step.token : NOTHING;
}
const reasonOf = (step: SaslClientStep) => (step.kind === 'failed' ? step.reason : step.kind);

test('both sides prove themselves in five tokens, and the last one is empty', () => {
  const [client, server] = [makeClient(), makeServer()];
  assert.is(client.user, `alice@${REALM}`);
  const proof = tokenOf(server.step(client.first));
  assert.not.ok(client.endsEmpty);
  assert.equal(tokenOf(client.step(proof)), NOTHING);
  const choice = tokenOf(client.step(tokenOf(server.step(NOTHING))));
  assert.ok(client.endsEmpty);
  assert.equal(server.step(choice), { kind: 'done', token: NOTHING, user: `alice@${REALM}` });
  assert.not.ok(client.isDone);
  assert.is(client.step(NOTHING).kind, 'done');
  assert.ok(client.isDone);
  assert.is(reasonOf(client.step(NOTHING)), 'the exchange is over');
});

test('two logins in the same millisecond are different logins', () => {
  const logins = Array.from({ length: 20 }, () => makeClient().first.toString('hex'));
  assert.is(new Set(logins).size, 20);
});

/** AP-REP in the token of the mechanism, by a server with this key. */
function proofOf(key: KerberosKey, timeText: string, micros: number, subkey?: KerberosKey): Buffer {
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 0xff]), body]);
  };
  const integer = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return der(2, bytes);
  };
  const keyItem = (of: KerberosKey) =>
    der(0x30, der(0xa0, integer(of.enctype)), der(0xa1, der(4, of.bytes)));
  const part = der(
    0x60 | 27,
    der(
      0x30,
      der(0xa0, der(0x18, Buffer.from(timeText))),
      der(0xa1, integer(micros)),
      ...(subkey === undefined ? [] : [der(0xa2, keyItem(subkey))]),
    ),
  );
  const sealed = der(
    0x30,
    der(0xa0, integer(key.enctype)),
    der(0xa2, der(4, encrypt(key, 12, part))),
  );
  const reply = der(
    0x60 | 15,
    der(0x30, der(0xa0, integer(5)), der(0xa1, integer(15)), der(0xa2, sealed)),
  );
  const mechanism = Buffer.from('06092a864886f712010202', 'hex');
  return der(0x60, Buffer.concat([mechanism, Buffer.from([2, 0])]), reply);
}

test('a server that lacks the key of the ticket proves nothing', () => {
  const stranger = { ...SESSION_KEY, bytes: Buffer.alloc(32, 9) };
  assert.match(
    reasonOf(makeClient().step(proofOf(stranger, '20260102030405Z', 0))),
    /does not fit its key/,
  );
  const other = { enctype: 17, bytes: Buffer.alloc(16, 2) };
  assert.match(reasonOf(makeClient().step(proofOf(other, '20260102030405Z', 0))), /another key/);
  assert.match(
    reasonOf(makeClient().step(proofOf(SESSION_KEY, '20260102030400Z', 0))),
    /proves another login/,
  );
});

test('the proof of one login does not prove another', () => {
  const [first, second] = [makeClient(), makeClient(credentialsOf(), NOW_MS + 1000)];
  const proof = tokenOf(makeServer().step(first.first));
  assert.match(reasonOf(second.step(proof)), /proves another login/);
});

test('a server may choose the key of the messages', () => {
  const subkey = { enctype: 18, bytes: Buffer.alloc(32, 5) };
  const client = makeClient();
  const micros = Math.round((Number(Reflect.get(client, 'timeMs')) % 1000) * 1000);
  const proof = proofOf(SESSION_KEY, '20260102030405Z', micros, subkey);
  assert.is(reasonOf(client.step(proof)), 'continue');
  const server = new GssContext(subkey, 0, 'acceptor', true);
  const choice = tokenOf(client.step(server.wrap(Buffer.from([1, 0, 0, 0]))));
  assert.is(server.unwrap(choice).toString('utf8', 4), `alice@${REALM}`);
});

test('a security layer, another size of the offer, and a server that hangs up are refused', () => {
  for (const [offer, reason] of [
    [Buffer.from([6, 0, 0, 0]), /requires a security layer/],
    [Buffer.from([1]), /requires a security layer/],
  ] as const) {
    const [client, server] = [makeClient(), makeServer()];
    const proof = tokenOf(server.step(client.first));
    client.step(proof);
    const context = Reflect.get(Reflect.get(server, 'accepted') ?? {}, 'context');
    assert.instance(context, GssContext);
    assert.match(reasonOf(client.step(context.wrap(offer))), reason);
  }
  const client = makeClient();
  assert.match(reasonOf(client.step(NOTHING)), /not a token of the Kerberos mechanism/);
  assert.is(reasonOf(client.step(NOTHING)), 'the exchange is over');
});

test('changed and random tokens of a server never log in, and never throw', () => {
  const random = new Random(11);
  for (let i = 0; i < 400; i++) {
    const [client, server] = [makeClient(), makeServer()];
    const bytes = Buffer.from(tokenOf(server.step(client.first)));
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255));
    const token = i % 3 === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
    const step = client.step(token);
    // Some bytes of a length or of a version may change: then the proof still fits the key.
    if (step.kind === 'continue') assert.is(client.step(token).kind, 'failed');
  }
});

test.run();
