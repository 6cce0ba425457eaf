import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decrypt, type KerberosKey } from '../../src/kerberos/encryption.js';
import {
  type Conversation,
  type Credentials,
  getInitialTicket,
  getServiceTicket,
} from '../../src/kerberos/get-ticket.js';
import { KerberosError } from '../../src/kerberos/kerberos-error.js';
import { namesOf } from '../../src/kerberos/principal.js';
import { Random } from '../support/random.js';
import {
  CLIENT_KEY,
  credentialsOf,
  INITIAL_SERVICE,
  makeError,
  makeReply,
  type ReplyParts,
} from './fake-kdc.js';
import { NOW_MS, REALM, SERVICE, SESSION_KEY } from './make-login.js';

const ALICE = namesOf(`alice@${REALM}`);
const OPTIONS = { enctypes: [18, 17, 20, 19], now: () => NOW_MS };
const keysOf = (...keys: KerberosKey[]) =>
  keys.map((key) => ({ principal: `alice@${REALM}`, version: 1, key }));
const login = (keys = keysOf(CLIENT_KEY)) => getInitialTicket(ALICE, keys, OPTIONS);

const initial: Credentials = { ...credentialsOf(), service: `${INITIAL_SERVICE}@${REALM}` };
const ofService = () => getServiceTicket(initial, namesOf(`${SERVICE}@${REALM}`), OPTIONS);

/** The nonce of the last question: field 7 of the body, of up to 31 bits. */
function nonceIn(question: Buffer): number {
  const at = question.lastIndexOf(0xa8);
  for (let length = 1; length <= 5; length++) {
    const head = question.subarray(at - length - 4, at - length);
    if (head.equals(Buffer.from([0xa7, length + 2, 2, length]))) {
      return question.readUIntBE(at - length, length);
    }
  }
  throw new Error('no nonce');
}

type Answer = (question: Buffer) => Buffer;

/** Plays the answers; fails if there are fewer questions. */
function play(conversation: Conversation, ...answers: Answer[]): Credentials {
  let step = conversation.next();
  for (const answer of answers) {
    if (step.done === true) throw new Error('an answer is left');
    assert.is(step.value.realm, REALM);
    step = conversation.next(answer(step.value.bytes));
  }
  if (step.done !== true) throw new Error('another question');
  return step.value;
}

const reply =
  (parts: Partial<ReplyParts> = {}): Answer =>
  (question) =>
    makeReply({ nonce: nonceIn(question), ...parts });
const ofTgs = (parts: Partial<ReplyParts> = {}) =>
  reply({ message: 13, service: SERVICE, key: SESSION_KEY, ...parts });

test('a KDC that wants no proof answers at once', () => {
  const ticket = play(login(), reply());
  assert.is(ticket.client, `alice@${REALM}`);
  assert.is(ticket.service, `${INITIAL_SERVICE}@${REALM}`);
  assert.equal(ticket.key, SESSION_KEY);
  assert.is(ticket.endMs, NOW_MS + 3_600_000);
  // Some KDCs use the number of a TGS-REP for the part, too.
  assert.ok(play(login(), reply({ partMessage: 26 })));
});

test('the proof is the time, with the key of a type that the KDC names', () => {
  const aes128 = { enctype: 17, bytes: Buffer.alloc(16, 6) };
  let proof: Buffer | undefined;
  const ticket = play(
    login(keysOf(CLIENT_KEY, aes128)),
    () => makeError(25, NOW_MS, [23, 17, 18]),
    (question) => {
      // PA-DATA of type 2 has an EncryptedData of type 17, which ends with the cipher.
      const head = Buffer.from('a103020102a2', 'hex');
      const data = question.subarray(question.indexOf(head) + head.length + 1);
      const sealed = data.subarray(2, 2 + data.readUInt8(1));
      assert.is(sealed.subarray(2, 7).toString('hex'), 'a003020111');
      const cipher = sealed.subarray(sealed.indexOf(0xa2, 7) + 4);
      proof = decrypt(aes128, 1, cipher);
      return reply({ key: aes128 })(question);
    },
  );
  assert.match(proof?.toString('latin1') ?? '', '20260102030405Z');
  assert.equal(ticket.key, SESSION_KEY);
});

test('a KDC that wants a key of another type is refused', () => {
  assert.throws(
    () => play(login(), () => makeError(25, NOW_MS, [23])),
    /wants a key of type 23, which the keytab lacks \(expected AES/,
  );
  assert.throws(
    () => play(login(keysOf({ enctype: 23, bytes: Buffer.alloc(16) }))),
    /keytab has no key of alice@EXAMPLE\.TEST for AES/,
  );
});

test('a KDC that asks for a proof again gets no other', () => {
  const ask: Answer = () => makeError(25, NOW_MS, [18]);
  assert.throws(() => play(login(), ask, ask), /refuses alice@EXAMPLE\.TEST with error 25/);
});

const LIES: readonly [what: string, parts: Partial<ReplyParts>, reason: RegExp][] = [
  ['another nonce', { nonce: 1 }, /answered another question/],
  ['another client', { client: 'bob' }, /a ticket of "bob@EXAMPLE\.TEST"/],
  ['another key', { key: { enctype: 18, bytes: Buffer.alloc(32, 8) } }, /does not fit its key/],
  ['another usage', { usage: 8 }, /does not fit its key/],
  ['another service', { service: 'krbtgt/OTHER' }, /a ticket for "krbtgt\/OTHER@EXAMPLE\.TEST"/],
  [
    'a weak key',
    { sessionKey: { enctype: 23, bytes: Buffer.alloc(16) } },
    /chose encryption type 23/,
  ],
  ['another message', { message: 13 }, /is another message/],
];

for (const [what, parts, reason] of LIES) {
  test(`an initial ticket with ${what} is refused`, () => {
    assert.throws(() => play(login(), reply(parts)), reason);
  });
}

test('a ticket for a service', () => {
  const ticket = play(ofService(), ofTgs());
  assert.is(ticket.service, `${SERVICE}@${REALM}`);
  assert.equal(ticket.key, SESSION_KEY);
});

for (const [what, parts, reason] of [
  ['another nonce', { nonce: 1 }, /answered another question/],
  ['another client', { client: 'bob' }, /a ticket of "bob@/],
  ['the key of another session', { key: CLIENT_KEY }, /does not fit its key/],
  ['another service', { service: 'http/localhost' }, /a ticket for "http\/localhost@/],
  ['a ticket of the same realm', { service: INITIAL_SERVICE }, /a ticket for "krbtgt/],
] as const) {
  test(`a service ticket with ${what} is refused`, () => {
    assert.throws(() => play(ofService(), ofTgs(parts)), reason);
  });
}

test('a KDC may name another realm, whose KDC is asked next, but not for ever', () => {
  const conversation = ofService();
  const asked: string[] = [];
  let step = conversation.next();
  assert.throws(() => {
    for (let realm = 0; step.done !== true; realm++) {
      asked.push(step.value.realm);
      const answer = makeReply({
        message: 13,
        nonce: nonceIn(step.value.bytes),
        key: SESSION_KEY,
        service: `krbtgt/R${realm}`,
      });
      step = conversation.next(answer);
    }
  }, /the KDC of R0 sent a ticket for "krbtgt\/R1@EXAMPLE\.TEST"/);
  assert.equal(asked, [REALM, 'R0']);
});

for (const [code, reason] of [
  [6, /does not know alice@EXAMPLE\.TEST/],
  [7, /does not know the service krbtgt\/EXAMPLE\.TEST@EXAMPLE\.TEST/],
  [18, /has locked alice/],
  [24, /the key of alice@EXAMPLE\.TEST is not the one of the KDC/],
  [29, /not available now/],
  [77, /with error 77: A\\u\{202e\}TEXT/],
] as const) {
  test(`error ${code} is a sentence`, () => {
    assert.throws(() => play(login(), () => makeError(code)), reason);
  });
}

test('a clock that is wrong is named with the seconds', () => {
  for (const [ms, side] of [
    [400_000, '400 s slow'],
    [-400_000, '400 s fast'],
  ] as const) {
    assert.throws(
      () => play(login(), () => makeError(37, NOW_MS + ms)),
      new RegExp(`the clock of this host is ${side}, compared with the KDC`),
    );
  }
});

test('changed and random answers give no ticket but a KerberosError', () => {
  const random = new Random(5);
  for (let i = 0; i < 1000; i++) {
    const conversation = i % 2 === 0 ? login() : ofService();
    const question = conversation.next();
    if (question.done === true) throw new Error('no question');
    const answer = i % 2 === 0 ? reply() : ofTgs();
    const bytes = answer(question.value.bytes);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255));
    try {
      const step = conversation.next(i % 5 === 0 ? bytes.subarray(0, at) : bytes);
      if (step.done !== true) continue;
      // The ticket itself and unread fields are the business of the service.
      assert.equal(step.value.key, SESSION_KEY);
      assert.is(step.value.client, `alice@${REALM}`);
    } catch (error) {
      assert.instance(error, KerberosError);
    }
  }
});

test.run();
