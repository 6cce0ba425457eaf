import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AclSyntaxError, parseAcl } from '../../../src/commands/znodes/parse-acl.js';
import { formatAcl } from '../../../src/protocol/perms.js';

const GOOD: readonly (readonly [text: string, ...entries: [string, string, number][]])[] = [
  ['world:anyone:cdrwa', ['world', 'anyone', 31]],
  ['world:anyone:r', ['world', 'anyone', 1]],
  ['world:anyone:adwrc', ['world', 'anyone', 31]],
  ['auth::r', ['auth', '', 1]],
  ['digest:ann:x1x2=:rw', ['digest', 'ann:x1x2=', 3]],
  ['ip:2001:db8::1:r', ['ip', '2001:db8::1', 1]],
  ['ip:10.0.0.0/8:r,world:anyone:a', ['ip', '10.0.0.0/8', 1], ['world', 'anyone', 16]],
  ['x509:CN=ann,OU=ops,O=x:cr', ['x509', 'CN=ann,OU=ops,O=x', 5]],
  ['x509:CN=ann,OU=ops:r,world:anyone:r', ['x509', 'CN=ann,OU=ops', 1], ['world', 'anyone', 1]],
];

for (const [text, ...entries] of GOOD) {
  test(`reads ${text}`, () => {
    const expected = entries.map(([scheme, id, perms]) => ({ perms, id: { scheme, id } }));
    assert.equal(parseAcl(text), expected);
    assert.equal(parseAcl(formatAcl(parseAcl(text))), expected);
  });
}

const BAD: readonly (readonly [text: string, message: RegExp, at: string])[] = [
  ['', /expected scheme:id:perms/, ''],
  ['bogus', /invalid ACL entry: "bogus"/, 'bogus'],
  ['world:anyone', /entry: "world:anyone"/, 'world:anyone'],
  [':anyone:r', /\(expected scheme:id:perms\)/, ':anyone:r'],
  ['world:anyone:', /missing permissions/, ''],
  ['world:anyone:q', /unknown permission: "q"/, 'q'],
  ['world:anyone:rwq', /unknown permission: "q"/, 'q'],
  ['world:anyone:cdrwa,bogus', /entry: "bogus"/, 'bogus'],
  ['world:anyone:cdrwa,', /entry: ""/, ''],
  ['world:anyone:r,ip:1.2.3.4:x', /unknown permission: "x"/, 'x'],
];

for (const [text, message, at] of BAD) {
  test(`refuses the whole of ${JSON.stringify(text)}`, () => {
    try {
      parseAcl(text);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, AclSyntaxError);
      assert.match((error as AclSyntaxError).message, message);
      const { start, end } = error as AclSyntaxError;
      assert.is(text.slice(start, end), at);
    }
  });
}

test.run();
