import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toClientPath, toServerPath } from '../../../src/client/base/chroot.js';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { resolveCreate, resolveOptions } from '../../../src/client/calls/arguments.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';

for (const [chroot, path, isSequential, expected] of [
  ['', '/', false, '/'],
  ['', '/a/b', false, '/a/b'],
  ['/app', '/', false, '/app'],
  ['/app', '/a', false, '/app/a'],
  ['/app', '/', true, '/app/'],
  ['', '/q/', true, '/q/'],
] as const) {
  test(`${path} below "${chroot}"${isSequential ? ', sequential,' : ''} is ${expected}`, () => {
    assert.is(toServerPath(chroot, path, isSequential), expected);
  });
}

for (const path of ['', 'a', '/a/', '//', '/a//b', '/./a', '/..', '/a\u0000b', '/\ud83d\ude00']) {
  test(`the path ${JSON.stringify(path)} is refused before it is sent`, () => {
    assert.throws(
      () => toServerPath('/app', path),
      (error: unknown) => error instanceof ZooKeeperError && error.code === 'BADARGUMENTS',
    );
  });
}

for (const [chroot, path, expected] of [
  ['', '/a', '/a'],
  ['/app', '/app', '/'],
  ['/app', '/app/a', '/a'],
  ['/app', '/apple', '/apple'],
  ['/app', '/zookeeper/config', '/zookeeper/config'],
] as const) {
  test(`the server's ${path} is ${expected} for a client with the chroot "${chroot}"`, () => {
    assert.is(toClientPath(chroot, path), expected);
  });
}

test('only the two TTL modes accept a ttl', () => {
  const make = (mode: (typeof CreateModes)[keyof typeof CreateModes], ttl?: number) =>
    resolveCreate('', '/a', null, ttl === undefined ? { mode } : { mode, ttl });
  assert.is(make(CreateModes.PERSISTENT_WITH_TTL, 5).args.ttl, 5);
  for (const refused of [
    () => make(CreateModes.PERSISTENT, 5),
    () => make(CreateModes.PERSISTENT_WITH_TTL),
    () => make(CreateModes.PERSISTENT_WITH_TTL, 0),
    () => make(CreateModes.PERSISTENT_WITH_TTL, 1.5),
    () => make(CreateModes.PERSISTENT_WITH_TTL, 2 ** 40),
  ]) {
    assert.throws(refused, /KeeperErrorCode = BadArguments for \/a: the mode/);
  }
});

test('the list of servers is shuffled, or keeps its order', () => {
  const names = Array.from({ length: 50 }, (_, i) => `h${i}`);
  const connectString = names.join(',');
  const hosts = (shouldShuffle: boolean) =>
    resolveOptions({ connectString, shouldShuffle }).servers.map(({ host }) => host);
  assert.equal(hosts(false), names);
  assert.equal([...hosts(true)].sort(), [...names].sort());
});

for (const [name, value] of [
  ['sessionTimeoutMs', 0],
  ['connectTimeoutMs', 1.5],
  ['requestTimeoutMs', -1],
  ['sessionTimeoutMs', 2 ** 31],
] as const) {
  test(`${name} of ${value} is refused`, () => {
    assert.throws(() => resolveOptions({ connectString: 'a', [name]: value }), name);
  });
}

test.run();
