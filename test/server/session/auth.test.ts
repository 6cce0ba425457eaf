import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL, Id } from '../../../src/protocol/data.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { Auth, maskDigests, shownUser } from '../../../src/server/session/auth.js';

/** Stands for SHA-1 in base64, which has no colon either. */
const hash = (text: string): string => `hash(${text.replaceAll(':', '-')})`;
const IP: Id = { scheme: 'ip', id: '10.1.2.3' };
const BOB: Id = { scheme: 'digest', id: 'bob:hash(bob-pw)' };
const AMY: Id = { scheme: 'digest', id: 'amy:hash(amy-pw)' };
const SUPER: Id = { scheme: 'super', id: '' };
const ANYONE: Id = { scheme: 'world', id: 'anyone' };

const auth = new Auth({ hash, superDigest: 'super:hash(super-secret)' });

function acl(perms: number, ...ids: readonly Id[]): ACL[] {
  return ids.map((id) => ({ perms, id }));
}

test('digest: the user, and the hash of user and password', () => {
  const authenticate = (text: string | null): Id[] | undefined =>
    auth.authenticate('digest', text === null ? null : Buffer.from(text), '10.1.2.3');
  assert.equal(authenticate('bob:pw'), [BOB]);
  assert.equal(authenticate('bob:p:w'), [{ scheme: 'digest', id: 'bob:hash(bob-p-w)' }]);
  assert.equal(authenticate('bob'), [{ scheme: 'digest', id: 'bob:hash(bob)' }]);
  assert.equal(authenticate('bü:ü'), [{ scheme: 'digest', id: 'bü:hash(bü-ü)' }]);
  assert.equal(authenticate(''), [{ scheme: 'digest', id: ':hash()' }]);
  assert.is(authenticate(null), undefined);
});

test('digest ids are split as Java splits them', () => {
  for (const [id, isValid] of [
    ['bob:x', true],
    ['bob:x:', true],
    ['a:b::', true],
    [':x', true],
    ['bob:', false],
    [':', false],
    ['::', false],
    ['', false],
    ['bob', false],
    ['a::b', false],
    ['a:b:c', false],
  ] as const) {
    const fixed = auth.fixUp(acl(Perms.ALL, { scheme: 'digest', id }), [IP]);
    assert.is(Array.isArray(fixed), isValid, id);
  }
});

test('ip ids have numbers as Java reads them', () => {
  for (const [id, isValid] of [
    ['10.1.2.3/+8', true],
    ['10.1.2.3/-0', true],
    ['10.1.+2.0000003', true],
    ['10.1.2.-3', false],
    ['10.1.2.3/-1', false],
    ['10.1.2.3/', false],
    ['10.1.2.3/8/8', false],
  ] as const) {
    const fixed = auth.fixUp(acl(Perms.ALL, { scheme: 'ip', id }), [IP]);
    assert.is(Array.isArray(fixed), isValid, id);
    if (isValid) assert.ok(auth.isAllowed(fixed as ACL[], Perms.READ, [IP]), id);
  }
});

test('the super user is super besides what it says', () => {
  assert.equal(auth.authenticate('digest', Buffer.from('super:secret'), ''), [
    SUPER,
    { scheme: 'digest', id: 'super:hash(super-secret)' },
  ]);
  const without = new Auth({ hash });
  assert.equal(without.authenticate('digest', Buffer.from('super:secret'), '')?.length, 1);
});

test('ip gives the address of the connection, whatever is said', () => {
  assert.equal(auth.authenticate('ip', Buffer.from('1.1.1.1'), '10.1.2.3'), [IP]);
});

test('other schemes are refused: world is not a provider', () => {
  for (const scheme of ['world', 'auth', 'super', 'sasl', 'x509', 'Digest', '']) {
    assert.is(auth.authenticate(scheme, Buffer.from('a:b'), '10.1.2.3'), undefined, scheme);
  }
});

test('an ACL allows what one of its entries allows', () => {
  const mixed = [...acl(Perms.READ, ANYONE), ...acl(Perms.WRITE | Perms.CREATE, BOB)];
  assert.ok(auth.isAllowed(mixed, Perms.READ, [IP]));
  assert.not.ok(auth.isAllowed(mixed, Perms.WRITE, [IP]));
  assert.ok(auth.isAllowed(mixed, Perms.WRITE, [IP, BOB]));
  assert.not.ok(auth.isAllowed(mixed, Perms.WRITE, [IP, AMY]));
  assert.not.ok(auth.isAllowed(mixed, Perms.DELETE, [IP, BOB]));
  // One of several permissions is enough: getACL asks for READ or ADMIN.
  assert.ok(auth.isAllowed(mixed, Perms.READ | Perms.ADMIN, [IP]));
});

test('the open ACL allows everybody everything', () => {
  for (const perm of [1, 2, 4, 8, 16]) assert.ok(auth.isAllowed(OPEN_ACL_UNSAFE, perm, []));
});

test('an ACL without entries allows everything', () => {
  assert.ok(auth.isAllowed([], Perms.DELETE, [IP]));
});

test('an address within the range of an entry is its holder', () => {
  const range = acl(Perms.ALL, { scheme: 'ip', id: '10.0.0.0/8' });
  assert.ok(auth.isAllowed(range, Perms.READ, [IP]));
  assert.not.ok(auth.isAllowed(range, Perms.READ, [{ scheme: 'ip', id: '11.0.0.1' }]));
});

test('an entry of an unknown scheme, or of another world, is held by nobody', () => {
  for (const id of [
    { scheme: 'sasl', id: 'bob' },
    { scheme: 'world', id: 'someone' },
    { scheme: 'auth', id: '' },
  ]) {
    assert.not.ok(auth.isAllowed(acl(Perms.ALL, id), Perms.READ, [IP, BOB, id]), id.scheme);
  }
});

test('super and skipACL pass everything', () => {
  const locked = acl(0, AMY);
  assert.not.ok(auth.isAllowed(locked, Perms.READ, [IP, AMY]));
  assert.ok(auth.isAllowed(locked, Perms.READ, [IP, SUPER]));
  assert.ok(new Auth({ hash, isAclSkipped: true }).isAllowed(locked, Perms.READ, [IP]));
});

test('an ACL to be stored loses its duplicates and keeps its order', () => {
  const once = [...acl(1, BOB), ...acl(31, ANYONE), ...acl(2, BOB)];
  assert.equal(auth.fixUp([...once, ...once], [IP]), once);
});

test('auth stands for every authenticated id of the connection, and not for its address', () => {
  const own = { scheme: 'auth', id: 'this id is ignored' };
  assert.equal(auth.fixUp(acl(7, own), [IP, BOB, AMY]), acl(7, BOB, AMY));
  assert.equal(auth.fixUp([...acl(7, BOB), ...acl(7, own)], [BOB]), acl(7, BOB));
  assert.is(auth.fixUp(acl(7, own), [IP]), ErrorCode.INVALIDACL);
});

for (const [scheme, id, isValid] of [
  ['world', 'anyone', true],
  ['world', 'xx', false],
  ['digest', 'bob:hash', true],
  ['digest', 'bob', false],
  ['digest', 'bob:a:b', false],
  ['digest', ':', false],
  ['ip', '10.0.0.0/8', true],
  ['ip', 'localhost', false],
  ['ip', '10.0.0.0/33', false],
  ['sasl', 'bob', false],
  ['super', '', false],
  ['', '', false],
] as const) {
  test(`${scheme}:${id} is ${isValid ? 'stored' : 'INVALIDACL'}`, () => {
    const list = acl(31, { scheme, id });
    assert.equal(auth.fixUp(list, [IP]), isValid ? list : ErrorCode.INVALIDACL);
  });
}

test('an ACL that "auth" makes too long is INVALIDACL, and is reported', () => {
  const count = LIMITS.aclEntries.value + 1;
  const long = Array.from({ length: count }, (_, i) => acl(7, { scheme: 'digest', id: `${i}:x` }));
  const own = new Auth({ hash });
  const exceeded: string[] = [];
  own.onLimit = (limit, from) => exceeded.push(`${limit} ${from}`);
  const asked = [...long.flat(), ...acl(7, { scheme: 'auth', id: '' })];
  assert.is(own.fixUp(asked, [IP, BOB]), ErrorCode.INVALIDACL);
  assert.equal(exceeded, [`aclEntries ${IP.id}`]);
});

test('an ACL without entries is INVALIDACL, and so is one with a single bad entry', () => {
  assert.is(auth.fixUp([], [IP, BOB]), ErrorCode.INVALIDACL);
  assert.is(
    auth.fixUp([...acl(31, ANYONE), ...acl(1, { scheme: 'nobody', id: '' })], [IP]),
    ErrorCode.INVALIDACL,
  );
});

test('hashes of passwords are not shown', () => {
  assert.is(shownUser(BOB), 'bob');
  assert.is(shownUser(IP), '10.1.2.3');
  assert.equal(maskDigests([...acl(1, BOB), ...acl(31, ANYONE)]), [
    ...acl(1, { scheme: 'digest', id: 'bob:x' }),
    ...acl(31, ANYONE),
  ]);
});

/** Entries that count how often they are looked at. */
function countingAcl(count: number): { readonly acl: ACL[]; readonly looks: () => number } {
  let looks = 0;
  const acl = Array.from({ length: count }, (_, i) => ({
    get perms() {
      looks++;
      return Perms.READ;
    },
    id: { scheme: 'digest', id: `user-${i}:hash` },
  }));
  return { acl, looks: () => looks };
}

test('a long ACL is made free of duplicates without comparing each entry with each', () => {
  const { acl: long, looks } = countingAcl(LIMITS.aclEntries.value);
  const fixed = auth.fixUp(long, [BOB]);
  assert.is(Array.isArray(fixed) && fixed.length, LIMITS.aclEntries.value);
  assert.ok(looks() <= 3 * LIMITS.aclEntries.value, `${looks()} looks`);
});

test('what "auth" stands for has an end', () => {
  const ids = Array.from({ length: 128 }, (_, i) => ({ scheme: 'digest', id: `user-${i}:hash` }));
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    perms: i,
    id: { scheme: 'auth', id: '' },
  }));
  assert.is(auth.fixUp(many, ids), ErrorCode.INVALIDACL);
});

test('a long ACL that is asked again and again is looked through once', () => {
  const { acl: long, looks } = countingAcl(20_000);
  assert.not(auth.isAllowed(long, Perms.READ, [BOB]));
  const once = looks();
  const ids = [BOB];
  for (let i = 0; i < 1000; i++) assert.not(auth.isAllowed(long, Perms.READ, ids));
  assert.is(looks(), once);
  const many = Array.from({ length: 100 }, (_, i) => ({ scheme: 'digest', id: `mine-${i}:x` }));
  assert.not(auth.isAllowed(long, Perms.READ, many));
  assert.ok(looks() <= 2 * once, `${looks()} looks`);
  assert.ok(auth.isAllowed(long, Perms.READ, [{ scheme: 'digest', id: 'user-7:hash' }]));
  assert.not(auth.isAllowed(long, Perms.WRITE, ids));
});

test('with enforced schemes, a client is served once it has an id of one of them', () => {
  const sasl: Id = { scheme: 'sasl', id: 'bob' };
  const enforced = new Auth({ hash, enforced: ['sasl', 'x509'] });
  assert.not(enforced.isServed([IP]));
  assert.not(enforced.isServed([]));
  assert.ok(enforced.isServed([IP, sasl]));
  assert.ok(enforced.isServed([{ scheme: 'x509', id: 'CN=bob' }]));
  assert.ok(auth.isServed([IP]));
  assert.ok(auth.isServed([]));
});

test('only the SASL users that are named are super', () => {
  const own: Id = { scheme: 'sasl', id: 'bob' };
  const named = new Auth({ hash, saslSuperUsers: ['amy', 'bob'] });
  assert.equal(named.saslIds('bob'), [own, SUPER]);
  assert.equal(named.saslIds('cat'), [{ scheme: 'sasl', id: 'cat' }]);
  assert.equal(auth.saslIds('bob'), [own]);
});

test('the name of an ensemble is nobody: no ACL stores it, and it grants nothing', () => {
  const named = new Auth({ hash, schemes: new Set(['ensemble', 'digest']) });
  const id: Id = { scheme: 'ensemble', id: 'prod' };
  assert.is(named.fixUp(acl(Perms.ALL, id), [id]), ErrorCode.INVALIDACL);
  assert.is(named.fixUp(acl(Perms.ALL, { scheme: 'auth', id: '' }), [id]), ErrorCode.INVALIDACL);
  assert.not(named.isAllowed(acl(Perms.READ, id), Perms.READ, [id]));
});

test.run();
