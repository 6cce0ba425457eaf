import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isDistinguishedName } from '../../../src/server/session/distinguished-name.js';

test('names as X500Principal reads them', () => {
  for (const name of [
    '',
    'CN=client',
    'CN=client,O=Test, C=DE',
    'cn=client;o=Test',
    'OU=a+CN=b,O=c',
    'CN=a\\,b,O="c,d"',
    '1.2.840.113549.1.9.1=#1603614062',
    'OID.2.5.4.3=x',
    'CN=',
    ' CN = a b ',
    'CN= "a" ',
    'CN= #0c0161,O=a\\ ',
    'CN= , O=',
  ]) {
    assert.ok(isDistinguishedName(name), name);
  }
});

test('invalid names', () => {
  for (const name of [
    'client',
    'CN',
    'XX=client',
    'CN=a,',
    ',CN=a',
    'CN=a,b',
    'CN="a',
    '=x',
    'CN=#1605614062',
    'CN= #',
    'CN=#0c0161 ',
  ]) {
    assert.not.ok(isDistinguishedName(name), name);
  }
});

test('many blanks take linear time', () => {
  const blanks = ' '.repeat(100_000);
  for (const name of [
    `CN=${blanks}<`,
    `CN=a${blanks}<`,
    `CN="a"${blanks}<`,
    `${blanks}CN${blanks}`,
  ]) {
    assert.not.ok(isDistinguishedName(name));
  }
});

test.run();
