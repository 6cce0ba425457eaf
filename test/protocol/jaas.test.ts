import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  JaasError,
  parseSaslLogin,
  parseSaslServer,
  parseSaslUsers,
} from '../../src/protocol/jaas.js';

const MODULE = 'org.apache.zookeeper.server.auth.DigestLoginModule';

function users(text: string, section = 'Server'): Record<string, string> | undefined {
  const found = parseSaslUsers(text, section);
  return found === undefined ? undefined : Object.fromEntries(found);
}

test('the users of the section asked for', () => {
  const text = `/* a file */
Client { ${MODULE} required username="bob" password="x"; };
# Server { ${MODULE} required user_old="gone"; };
Server {
  ${MODULE} required
  // user_commented="out"
  user_super="admin \\"secret\\""
  user_bob = "b;ob";
};
Other.1 { ${MODULE} required user_eve="e"; };`;
  assert.equal(users(text), { super: 'admin "secret"', bob: 'b;ob' });
  assert.equal(users(text, 'Other.1'), { eve: 'e' });
  assert.equal(users(text, 'Client'), {});
  assert.is(users(text, 'None'), undefined);
});

/** What is wrong with the file. */
function faultOf(text: string, section = 'Server'): string {
  try {
    parseSaslUsers(text, section);
    return 'none';
  } catch (error) {
    assert.instance(error, JaasError);
    return (error as JaasError).message;
  }
}

test('a section that asks for another module is an error, and others do not matter', () => {
  const kerberos = 'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true;';
  const why = 'is not supported here (expected DigestLoginModule, or Krb5LoginModule alone)';
  const expected = `section Server: com.sun.security.auth.module.Krb5LoginModule ${why}`;
  assert.is(faultOf(`Server { ${kerberos} };`), expected);
  assert.is(faultOf(`Server { ${MODULE} required user_a="b"; ${kerberos} };`), expected);
  assert.equal(users(`Client { ${kerberos} };`), undefined);
  assert.equal(users(''), undefined);
});

test('braces and semicolons in a password are part of it', () => {
  const text = `Server{${MODULE} required user_a="}; {" user_b=plain;};`;
  assert.equal(users(text), { a: '}; {', b: 'plain' });
});

for (const [text, fault] of [
  ['Server { Digest', 'line 1: found the end (expected required)'],
  [
    'Server {\nDigestLoginModule maybe;\n};',
    'line 2: found "maybe" (expected required, requisite, sufficient, optional)',
  ],
  ['Server {\n M required user_a "x";\n};', 'line 2: found a text in quotes (expected "=")'],
  [
    'Server { M required user_a="x; };',
    'line 1: found a text without its closing quote (expected the value of user_a)',
  ],
  ['Server { M required; }', 'line 1: found the end (expected ";")'],
  ['A { M required; }; A { M required; };', 'section A: duplicate'],
] as const) {
  test(`a malformed file is an error: ${JSON.stringify(text)}`, () => {
    assert.is(faultOf(text), fault);
  });
}

test('who logs in', () => {
  const text = `Learner { ${MODULE} required username="zk 1" password="a \\"b\\""; };
Half { ${MODULE} required username="zk"; };`;
  assert.equal(parseSaslLogin(text, 'Learner'), { user: 'zk 1', password: 'a "b"' });
  for (const section of ['Half', 'None']) {
    assert.is(parseSaslLogin(text, section), undefined);
  }
});

test('the section of a server may have the keytab of Kerberos', () => {
  const section = (options: string) => `Server { a.Krb5LoginModule required ${options}; };`;
  const keys = 'useKeyTab=true storeKey=true principal="zookeeper/host"';
  const login = { kind: 'kerberos', principal: 'zookeeper/host' };
  assert.equal(parseSaslServer(section(`${keys} keyTab="/k"`), 'Server'), {
    ...login,
    keyTab: '/k',
  });
  assert.equal(parseSaslServer(section(keys), 'Server'), { ...login, keyTab: '/etc/krb5.keytab' });
  for (const [options, reason] of [
    [keys.replace('useKeyTab=true', ''), /needs useKeyTab=true/],
    [keys.replace('storeKey=true', 'storeKey=false'), /needs storeKey=true/],
    [keys.replace('/host', ''), /principal: "zookeeper" \(expected service\/host/],
  ] as const) {
    assert.throws(() => parseSaslServer(section(options), 'Server'), reason);
  }
  const digest = `Server { ${MODULE} required user_a="b"; };`;
  assert.equal(parseSaslServer(digest, 'Server'), { kind: 'digest', users: new Map([['a', 'b']]) });
  assert.is(parseSaslServer(digest, 'Other'), undefined);
});

test('a client may log in by a keytab, by a credential cache, or by both', () => {
  const loginOf = (options: string) =>
    parseSaslLogin(`Client { a.Krb5LoginModule required ${options}; };`, 'Client');
  const mechanism = 'GSSAPI';
  const keys = 'useKeyTab=true keyTab="/k" principal="bob@A"';
  const byKeytab = { mechanism, principal: 'bob@A', keytab: '/k' };
  assert.equal(loginOf(`${keys} storeKey=true doNotPrompt=true debug=true`), byKeytab);
  assert.equal(loginOf('useKeyTab=TRUE principal=bob'), {
    mechanism,
    principal: 'bob',
    keytab: '/etc/krb5.keytab',
  });
  assert.equal(loginOf('useTicketCache=true'), { mechanism, ticketCache: '' });
  assert.equal(loginOf(`${keys} useTicketCache=true ticketCache="/c"`), {
    ...byKeytab,
    ticketCache: '/c',
  });
  for (const [options, reason] of [
    ['', /needs useKeyTab=true or useTicketCache=true/],
    ['useKeyTab=false', /needs useKeyTab=true or useTicketCache=true/],
    ['useKeyTab=true', /useKeyTab=true needs a principal/],
    [`${keys} isInitiator=false`, /such a section cannot log in/],
    ['useTicketCache=true renewTGT=true', /renewTGT=true: not supported \(run kinit -R/],
  ] as const) {
    assert.throws(() => loginOf(options), reason, options);
  }
});

test.run();
