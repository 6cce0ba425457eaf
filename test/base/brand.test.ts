import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { brand } from '../../src/base/brand.js';

/** As each copy of the package makes it. */
function copyOf() {
  class Fault extends Error {}
  class Special extends Fault {}
  brand(Fault, 'TestFault');
  brand(Special, 'TestSpecial');
  class Users extends Fault {}
  return { Fault, Special, Users };
}

test('an object of one copy is an instance of the class of the other', () => {
  const [a, b] = [copyOf(), copyOf()];
  assert.instance(new a.Fault(), b.Fault);
  assert.instance(new a.Special(), b.Special);
  assert.instance(new a.Special(), b.Fault);
  assert.not.instance(new a.Fault(), b.Special);
  assert.not.instance(new Error(), b.Fault);
  for (const value of [null, undefined, 1, 'x', {}]) assert.not(value instanceof b.Fault);
});

test('a subclass of a program is compared as usual', () => {
  const [a, b] = [copyOf(), copyOf()];
  assert.instance(new a.Users(), a.Users);
  assert.instance(new a.Users(), b.Fault);
  assert.not.instance(new b.Users(), a.Users);
  assert.not.instance(new a.Fault(), a.Users);
});

test.run();
