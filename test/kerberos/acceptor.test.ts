import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Acceptor } from '../../src/kerberos/acceptor.js';
import { checksum, decrypt, encrypt } from '../../src/kerberos/encryption.js';
import { GssapiServer } from '../../src/kerberos/gssapi-server.js';
import { parseKeytab } from '../../src/kerberos/keytab.js';
import type { SaslStep } from '../../src/protocol/sasl-step.js';
import { Random } from '../support/random.js';
import {
  type LoginParts,
  makeKeytab,
  makeLogin,
  NOW_MS,
  REALM,
  SERVICE,
  SERVICE_KEY,
  SESSION_KEY,
  SUBKEY,
} from './make-login.js';

const MINUTE_MS = 60_000;

function makeServer(nowMs = () => NOW_MS, keytab = makeKeytab()) {
  const acceptor = new Acceptor({
    principal: `${SERVICE}@${REALM}`,
    keys: () => parseKeytab(keytab),
    now: nowMs,
  });
  return () => new GssapiServer(acceptor, (client) => `id of ${client}`);
}

/** A wrapped message of the initiator, signed or sealed, rotated by `rotation`. */
function wrapped(message: Buffer, rotation = 0, isSealed = false, flags = 0): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt16BE(0x0504, 0);
  header.writeUInt8(flags | (isSealed ? 2 : 0), 2);
  header.writeUInt8(0xff, 3);
  header.writeBigUInt64BE(77n, 8);
  const body = isSealed
    ? encrypt(SUBKEY, 24, Buffer.concat([message, header]))
    : Buffer.concat([message, checksum(SUBKEY, 24, Buffer.concat([message, header]))]);
  if (!isSealed) header.writeUInt16BE(12, 4);
  header.writeUInt16BE(rotation, 6);
  const by = rotation % body.length;
  const rotated = [body.subarray(body.length - by), body.subarray(0, body.length - by)];
  return Buffer.concat([header, ...rotated]);
}

const choice = (layer: number, name = '') =>
  Buffer.concat([Buffer.from([layer, 0, 0, 0]), Buffer.from(name)]);
const reasonOf = (step: SaslStep) => (step.kind === 'failed' ? step.reason : step.kind);

test('a login without a proof of the server takes two steps', () => {
  const server = makeServer()();
  const offer = server.step(makeLogin());
  if (offer.kind !== 'continue') throw new Error(reasonOf(offer));
  assert.equal(offer.token.subarray(16, 20), choice(1));
  const header = Buffer.from(offer.token.subarray(0, 16));
  assert.is(header.readUInt8(2), 1, 'sent by the acceptor');
  assert.is(header.readBigUInt64BE(8), 77n);
  header.writeUInt16BE(0, 4);
  const sum = checksum(SUBKEY, 22, Buffer.concat([choice(1), header]));
  assert.equal(offer.token.subarray(20), sum);
  const done = server.step(wrapped(choice(1)));
  assert.equal(done, { kind: 'done', token: Buffer.alloc(0), user: `id of alice@${REALM}` });
  assert.is(reasonOf(server.step(wrapped(choice(1)))), 'the exchange is over');
});

test('a client that asks for a proof gets its own time back', () => {
  const server = makeServer()();
  const proof = server.step(makeLogin({ isMutual: true, client: 'hbase/host' }));
  if (proof.kind !== 'continue') throw new Error(reasonOf(proof));
  const reply = proof.token.subarray(proof.token.indexOf(Buffer.from([0x6f])));
  const cipher = reply.subarray(reply.indexOf(Buffer.from([0x04])) + 2);
  assert.match(decrypt(SESSION_KEY, 12, cipher).toString('latin1'), '20260102030405Z');
  assert.is(reasonOf(server.step(Buffer.from('x'))), 'expected an empty token after the proof');
});

test('signed and sealed messages of the client, rotated or not', () => {
  for (const isSealed of [false, true]) {
    for (const rotation of [0, 1, 12, 28, 1000]) {
      const server = makeServer()();
      server.step(makeLogin({ timeMs: NOW_MS }));
      const message = choice(1, `alice@${REALM}`);
      assert.is(server.step(wrapped(message, rotation, isSealed)).kind, 'done');
    }
  }
});

const BAD_CHOICES: readonly [what: string, token: Buffer, reason: RegExp][] = [
  ['a security layer', wrapped(choice(2)), /asks for a security layer/],
  ['another name', wrapped(choice(1, 'admin')), /alice@EXAMPLE.TEST asks to act as "admin"/],
  ['the flag of the acceptor', wrapped(choice(1), 0, false, 1), /of the wrong side/],
  ['no wrap', choice(1), /not a wrapped message/],
  ['nothing', Buffer.alloc(0), /not a wrapped message/],
  ['a cut', wrapped(choice(1)).subarray(0, -1), /wrong checksum/],
];

for (const [what, token, reason] of BAD_CHOICES) {
  test(`a choice of ${what} is refused`, () => {
    const server = makeServer()();
    server.step(makeLogin());
    assert.match(reasonOf(server.step(token)), reason);
    assert.is(reasonOf(server.step(wrapped(choice(1)))), 'the exchange is over');
  });
}

const REFUSED: readonly [what: string, parts: LoginParts, reason: RegExp][] = [
  ['for another service', { service: 'http/localhost' }, /is for "http\/localhost@EXAMPLE.TEST"/],
  [
    'of another key',
    { serviceKey: { enctype: 18, bytes: Buffer.alloc(32, 8) } },
    /does not fit its key/,
  ],
  [
    'of a type that the keytab lacks',
    { serviceKey: { enctype: 17, bytes: Buffer.alloc(16, 8) } },
    /no key of zookeeper\/localhost@EXAMPLE.TEST with version 7, encryption type 17/,
  ],
  ['that is invalid', { ticketFlags: 0x0100_0000 }, /is not valid/],
  ['from the future', { startMs: NOW_MS + 6 * MINUTE_MS }, /not valid yet/],
  ['that expired', { endMs: NOW_MS - 6 * MINUTE_MS }, /has expired/],
  ['with a fast clock', { timeMs: NOW_MS + 6 * MINUTE_MS }, /clocks differ/],
  ['with a slow clock', { timeMs: NOW_MS - 6 * MINUTE_MS }, /clocks differ/],
  ['of another client', { authenticatorClient: 'bob' }, /names another client/],
  ['without the checksum of GSS-API', { checksumType: 16 }, /not for GSS-API/],
];

for (const [what, parts, reason] of REFUSED) {
  test(`a ticket ${what} is refused`, () => {
    assert.match(reasonOf(makeServer()().step(makeLogin(parts))), reason);
  });
}

for (const client of ['a@B', 'line\nbreak', 'nul\0']) {
  test(`the name ${JSON.stringify(client)} is refused`, () => {
    assert.match(reasonOf(makeServer()().step(makeLogin({ client }))), /unusable name/);
  });
}

test('a login counts once, as long as its time is accepted', () => {
  let nowMs = NOW_MS;
  const start = makeServer(() => nowMs);
  const login = makeLogin();
  assert.is(start().step(login).kind, 'continue');
  assert.is(reasonOf(start().step(login)), 'the login was sent before');
  nowMs += 5 * MINUTE_MS;
  assert.is(reasonOf(start().step(login)), 'the login was sent before');
  nowMs += MINUTE_MS;
  assert.match(reasonOf(start().step(login)), /clocks differ/);
  assert.is(start().step(makeLogin({ timeMs: nowMs })).kind, 'continue');
});

test('changed and random tokens never log in, and never throw', () => {
  const random = new Random(7);
  const login = makeLogin();
  const start = makeServer();
  for (let i = 0; i < 3000; i++) {
    const bytes = Buffer.from(login);
    for (let n = 1 + random.below(3); n > 0; n--) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255));
    }
    const token = i % 3 === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
    const server = start();
    const step = server.step(token);
    // The fields that no key protects may change: then the ticket still proves the client.
    if (step.kind === 'continue') assert.is(server.step(token).kind, 'failed');
  }
});

test('a keytab with holes, another version, or damage', () => {
  const [entry] = parseKeytab(makeKeytab());
  assert.equal(entry, { principal: `${SERVICE}@${REALM}`, version: 7, key: SERVICE_KEY });
  assert.throws(() => parseKeytab(Buffer.from('0501', 'hex')), /expected format 0x0502/);
  assert.throws(() => parseKeytab(Buffer.alloc(0)), /not a keytab/);
  assert.throws(() => parseKeytab(makeKeytab().subarray(0, -3)), /an entry ends too early/);
});

test.run();
