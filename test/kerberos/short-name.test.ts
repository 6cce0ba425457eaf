/** The cases of Apache's rules; conformance/kerberos.test.ts compares with its server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameMapper } from '../../src/kerberos/short-name.js';

const OPTIONS = { defaultRealm: 'A.B', isHostRemoved: false, isRealmRemoved: false };

for (const [rules, principal, expected] of [
  ['DEFAULT', 'alice@A.B', 'alice@A.B'],
  ['DEFAULT', 'alice@OTHER', 'alice@OTHER'],
  ['DEFAULT', 'hbase/host@A.B', 'hbase/host@A.B'],
  ['RULE:[1:$1x$0](.*xA.B)s/xA/-/ DEFAULT', 'alice@A.B', 'alice-.B@A.B'],
  ['RULE:[2:$2$1]s/h/H/g', 'hbase/host@A.B', 'HostHbase/host@A.B'],
  ['RULE:[1:$1@$0]', 'alice@A.B', 'alice@A.B'],
  ['RULE:[1:no](bob) DEFAULT', 'alice@A.B', 'alice@A.B'],
] as const) {
  test(`${rules}: ${principal} is ${expected}`, () => {
    assert.is(nameMapper({ ...OPTIONS, rules })(principal), expected);
  });
}

test('host and realm can be removed from a name that a rule made', () => {
  const map = nameMapper({
    rules: 'DEFAULT',
    defaultRealm: 'A.B',
    isHostRemoved: true,
    isRealmRemoved: true,
  });
  assert.is(map('hbase/host@A.B'), 'hbase');
  assert.is(map('hbase/host@OTHER'), 'hbase/host@OTHER');
  assert.throws(() => map('a/b/c@A.B'), /unsupported principal: "a\/b\/c@A\.B"/);
});

test('an invalid rule is named', () => {
  for (const rules of ['NONE', 'DEFAULT NONE', 'RULE:[1:$1](', 'RULE:[1:$1]([)']) {
    assert.throws(() => nameMapper({ ...OPTIONS, rules }), /invalid rule: "/, rules);
  }
});

test.run();
