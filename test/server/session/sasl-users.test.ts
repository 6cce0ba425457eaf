import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSaslLogin, parseSaslUsers } from '../../../src/server/session/sasl-users.js';

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

test('a section of another module is ignored', () => {
  assert.is(users('Server { com.sun.Krb5LoginModule required useKeyTab=true; };'), undefined);
  assert.is(users(''), undefined);
});

test('who logs in', () => {
  const text = `Learner { ${MODULE} required username="zk 1" password="a \\"b\\""; };
Half { ${MODULE} required username="zk"; };
Other { com.sun.Krb5LoginModule required username="zk" password="x"; };`;
  assert.equal(parseSaslLogin(text, 'Learner'), { user: 'zk 1', password: 'a "b"' });
  for (const section of ['Half', 'Other', 'None']) {
    assert.is(parseSaslLogin(text, section), undefined);
  }
});

test.run();
