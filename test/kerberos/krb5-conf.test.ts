import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseKrb5Conf } from '../../src/kerberos/krb5-conf.js';

const TEXT = `
# A comment
; another
[libdefaults]
  default_realm = A.TEST
  default_tkt_enctypes = aes128-cts arcfour-hmac aes256-sha2
[realms]
  A.TEST = {
    kdc = kdc1.a.test
    kdc = "kdc2.a.test:1088"
    kdc = [::1]:90
    kdc = tcp/10.0.0.1:91
    admin_server = kdc1.a.test
    auth_to_local_names = {
      kdc = none
    }
  }
  B.TEST = { 
    kdc = kdc.b.test
  }
[domain_realm]
  .a.test = A.TEST
  b.test = B.TEST
  One.a.test = C.TEST
[logging]
  kdc = FILE:/var/log/kdc.log
`;

test('realms, their KDCs in order, and the default realm', () => {
  const conf = parseKrb5Conf(TEXT);
  assert.is(conf.defaultRealm, 'A.TEST');
  assert.equal(conf.kdcsOf('A.TEST'), [
    { host: 'kdc1.a.test', port: 88 },
    { host: 'kdc2.a.test', port: 1088 },
    { host: '::1', port: 90 },
    { host: '10.0.0.1', port: 91 },
  ]);
  assert.equal(conf.kdcsOf('B.TEST'), [{ host: 'kdc.b.test', port: 88 }]);
  assert.equal(conf.kdcsOf('OTHER'), []);
});

test('the realm of a host is that of its name, or of the nearest domain', () => {
  const { realmOf } = parseKrb5Conf(TEXT);
  assert.equal(
    ['zk.a.test', 'one.A.test', 'b.test', 'x.y.b.test', 'a.test', 'c.test'].map(realmOf),
    ['A.TEST', 'C.TEST', 'B.TEST', 'B.TEST', undefined, undefined],
  );
});

test('encryption types: those of AES that every list permits, in the order of the last', () => {
  const typesOf = (lines: string) => parseKrb5Conf(`[libdefaults]\n${lines}`).enctypes;
  assert.equal(typesOf(''), [18, 17, 20, 19]);
  assert.equal(parseKrb5Conf(TEXT).enctypes, [17, 20]);
  assert.equal(typesOf('permitted_enctypes = des3-cbc-sha1, aes'), [18, 17, 20, 19]);
  assert.throws(
    () => typesOf('permitted_enctypes = arcfour-hmac'),
    /permitted_enctypes: "arcfour-hmac" permits no AES/,
  );
});

test('included files count at their place', () => {
  const conf = parseKrb5Conf('includedir /d\n[libdefaults]\ndefault_realm = LAST', (kind, path) =>
    kind === 'includedir' && path === '/d' ? ['[libdefaults]\ndefault_realm = FIRST'] : [],
  );
  assert.is(conf.defaultRealm, 'FIRST');
  assert.throws(
    () => parseKrb5Conf('include /me', () => ['include /me']),
    /too many files include each other/,
  );
});

test('a line or an address without sense is named', () => {
  assert.throws(() => parseKrb5Conf('[libdefaults]\nnonsense'), /line 2: expected NAME = VALUE/);
  for (const bad of ['a:b:c:99999', 'http://a', 'a:0', '[::1', 'a:99999']) {
    const conf = parseKrb5Conf(`[realms]\nA = {\nkdc = ${bad}\n}`);
    assert.throws(() => conf.kdcsOf('A'), /invalid kdc: "/, bad);
  }
});

test.run();
