/** The published test vectors of RFC 3961, RFC 3962, and RFC 8009. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ctsDecrypt,
  ctsEncrypt,
  decrypt,
  derive,
  encrypt,
  type KerberosKey,
  nFold,
} from '../../src/kerberos/encryption.js';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

test('n-fold (RFC 3961, A.1)', () => {
  for (const [input, size, expected] of [
    ['012345', 8, 'be072631276b1955'],
    ['password', 7, '78a07b6caf85fa'],
    ['Rough Consensus, and Running Code', 8, 'bb6ed30870b7f0e0'],
    ['kerberos', 16, '6b65726265726f737b9b5b2b93132b93'],
    ['kerberos', 21, '8372c236344e5f1550cd0747e15d62ca7a5a3bcea4'],
  ] as const) {
    assert.is(nFold(Buffer.from(input), size).toString('hex'), expected, input);
  }
});

test('CBC with ciphertext stealing (RFC 3962, B)', () => {
  const key = Buffer.from('chicken teriyaki');
  for (const [plain, expected] of [
    ['I would like the ', 'c6353568f2bf8cb4d8a580362da7ff7f97'],
    [
      "I would like the General Gau's ",
      'fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5',
    ],
    [
      "I would like the General Gau's C",
      '39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584',
    ],
  ] as const) {
    assert.is(ctsEncrypt(key, Buffer.from(plain)).toString('hex'), expected);
    assert.is(ctsDecrypt(key, hex(expected)).toString(), plain);
  }
});

test('derived keys (RFC 8009, A)', () => {
  const base128 = { enctype: 19, bytes: hex('3705D960 80C17728 A0E800EA B6E0D23C') };
  assert.is(derive(base128, 2, 0x99).toString('hex'), 'b31a018a48f54776f403e9a396325dc3');
  assert.is(derive(base128, 2, 0xaa).toString('hex'), '9b197dd1e8c5609d6e67c3e37c62c72e');
  assert.is(derive(base128, 2, 0x55).toString('hex'), '9fda0e56ab2d85e1569a688696c26a6c');
});

for (const [enctype, size] of [
  [17, 16],
  [18, 32],
  [19, 16],
  [20, 32],
] as const) {
  const key: KerberosKey = { enctype, bytes: Buffer.alloc(size, 9) };

  test(`type ${enctype}: a plain text of each length comes back`, () => {
    for (let length = 0; length < 70; length++) {
      const plain = Buffer.alloc(length, length);
      assert.equal(decrypt(key, 5, encrypt(key, 5, plain)), plain);
    }
  });

  test(`type ${enctype}: a changed byte, another usage, or a cut is found`, () => {
    const bytes = encrypt(key, 5, Buffer.from('some plain text'));
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => decrypt(key, 5, changed), /does not fit its key/);
    }
    assert.throws(() => decrypt(key, 6, bytes), /does not fit its key/);
    for (let end = 0; end < bytes.length; end++) {
      assert.throws(() => decrypt(key, 5, bytes.subarray(0, end)), /too short|does not fit/);
    }
  });
}

test('older types are refused by name', () => {
  const key = { enctype: 23, bytes: Buffer.alloc(16) };
  assert.throws(() => encrypt(key, 1, Buffer.alloc(1)), /arcfour-hmac \(expected AES\)/);
  const short = { enctype: 18, bytes: Buffer.alloc(16) };
  assert.throws(() => encrypt(short, 1, Buffer.alloc(1)), /wrong length/);
});

test.run();
