import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ACL, Id } from '../../../src/protocol/data.js';
import { Work } from '../../../src/server/limits/work.js';
import { AclGrants } from '../../../src/server/session/acl-grants.js';

/** The matchers count how often they compare. */
function makeWorld() {
  const world = { compared: 0, work: new Work() };
  const matcher = (isExact: boolean, isHeld: (id: string, aclId: string) => boolean) => ({
    isExact,
    matches: (id: string, aclId: string) => {
      world.compared++;
      return isHeld(id, aclId);
    },
  });
  const grants = new AclGrants(
    new Map([
      ['exact', matcher(true, () => true)],
      ['prefix', matcher(false, (id, aclId) => id.startsWith(aclId))],
    ]),
  );
  return { world, grants };
}

function acl(...entries: [perms: number, scheme: string, id: string][]): ACL[] {
  return entries.map(([perms, scheme, id]) => ({ perms, id: { scheme, id } }));
}

function ids(...all: [scheme: string, id: string][]): Id[] {
  return all.map(([scheme, id]) => ({ scheme, id }));
}

const OWN = ids(['exact', 'a'], ['exact', 'b'], ['prefix', 'pq'], ['unknown', 'u']);

for (const [what, list, perms] of [
  ['nothing', acl(), 0],
  ['an entry for everyone', acl([1, 'world', 'anyone']), 1],
  ['an entry of another world', acl([1, 'world', 'a'], [2, 'exact', 'anyone']), 0],
  ['an entry of one id', acl([2, 'exact', 'b']), 2],
  ['an entry of another id', acl([2, 'exact', 'c']), 0],
  ['an entry of the same text in another scheme', acl([2, 'exact', 'pq'], [4, 'none', 'a']), 0],
  ['an entry that matches by its scheme', acl([4, 'prefix', 'p']), 4],
  ['the very id of such a scheme', acl([4, 'prefix', 'pq']), 4],
  ['an entry that does not match', acl([4, 'prefix', 'q']), 0],
  ['an entry of an unknown scheme', acl([8, 'unknown', 'u']), 0],
  ['several entries', acl([1, 'exact', 'a'], [6, 'prefix', 'p'], [8, 'exact', 'x']), 7],
] as const) {
  test(`the permissions of ${what}`, () => {
    const { world, grants } = makeWorld();
    assert.is(grants.of(list, OWN, world.work), perms);
    assert.is(grants.of(list, OWN, world.work), perms, 'again');
  });
}

test('an entry that grants nothing new is not compared, nor is one of an exact scheme', () => {
  const { world, grants } = makeWorld();
  grants.of(acl([3, 'prefix', 'p'], [2, 'prefix', 'x'], [4, 'exact', 'c']), OWN, world.work);
  assert.is(world.compared, 1);
});

test('a list of ids and an ACL are looked through once', () => {
  const { world, grants } = makeWorld();
  const list = acl([1, 'prefix', 'x'], [2, 'prefix', 'y'], [4, 'exact', 'z']);
  grants.of(list, OWN, world.work);
  assert.is(world.work.steps, 2 * OWN.length + 2 * list.length);
  assert.is(world.compared, 2);
  grants.of(list, OWN, world.work);
  assert.is(world.work.steps, 2 * OWN.length + 2 * list.length);
  // A learner sends the same ids again with each request.
  grants.of(list, [...OWN], world.work);
  assert.is(world.compared, 2);
  assert.is(world.work.steps, 4 * OWN.length + 2 * list.length);
});

/** How often `list` is looked through when it is asked again. */
function comparedAgain(
  { world, grants }: ReturnType<typeof makeWorld>,
  list: ACL[],
  own: Id[],
): number {
  const before = world.compared;
  grants.of(list, own, world.work);
  return world.compared - before;
}

test('257 ACLs are kept for a list of ids, then all are forgotten, again and again', () => {
  const made = makeWorld();
  const lists = Array.from({ length: 514 }, () => acl([1, 'prefix', 'x']));
  const ask = (from: number, to: number): void => {
    for (const list of lists.slice(from, to)) made.grants.of(list, OWN, made.world.work);
  };
  const isKept = (at: number) => comparedAgain(made, lists[at] as ACL[], OWN) === 0;
  ask(0, 256);
  assert.ok(isKept(0));
  ask(256, 257);
  assert.ok(isKept(256));
  ask(257, 513);
  assert.ok(isKept(256));
  ask(513, 514);
  assert.not(isKept(256));
});

test('the ACLs before are forgotten with the 257th', () => {
  const made = makeWorld();
  const lists = Array.from({ length: 257 }, () => acl([1, 'prefix', 'x']));
  for (const list of lists) made.grants.of(list, OWN, made.world.work);
  assert.is(comparedAgain(made, lists[0] as ACL[], OWN), 1);
});

test('1024 lists of ids are known by their text, then all are forgotten', () => {
  const made = makeWorld();
  const list = acl([1, 'prefix', 'x']);
  const textOf = (at: number) => ids(['prefix', `p${at}`]);
  for (let at = 0; at < 1024; at++) assert.is(comparedAgain(made, list, textOf(at)), 1);
  assert.is(comparedAgain(made, list, textOf(0)), 0);
  assert.is(comparedAgain(made, list, textOf(1)), 1, 'forgotten');
  assert.is(comparedAgain(made, list, textOf(1)), 0, 'and known again');
});

test.run();
