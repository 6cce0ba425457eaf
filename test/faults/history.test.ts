import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkEnd, checkHistory, type Seen } from './history.js';

const BEGINNING = { value: 'first', mzxid: 1n };

let clock = 0;
function write(value: string, zxid: bigint | null, version = 0, change: Partial<Seen> = {}): Seen {
  const startedMs = ++clock;
  const endedMs = ++clock;
  const done = zxid === null ? null : { zxid, version };
  const own = { kind: 'write', session: 'a', path: '/x', value, startedMs, endedMs, done } as const;
  return { ...own, ...change } as Seen;
}

function read(value: string, mzxid: bigint, zxid: bigint, change: Partial<Seen> = {}): Seen {
  const startedMs = ++clock;
  const endedMs = ++clock;
  const own = { kind: 'read', session: 'a', path: '/x', value, startedMs, endedMs, zxid } as const;
  return { ...own, mzxid, version: 1, ...change } as Seen;
}

test('a history that happened passes', () => {
  const history = [
    read('first', 1n, 3n, { version: 0 } as Partial<Seen>),
    write('v1', 5n, 1),
    write('lost?', null),
    write('v3', 9n, 3),
    read('v3', 9n, 12n),
    read('v1', 5n, 8n, { session: 'b' }),
    read('v3', 9n, 9n, { session: 'b' }),
  ];
  assert.equal(checkHistory(history, BEGINNING), []);
});

const WRONG: readonly (readonly [name: string, make: () => Seen[], problem: RegExp])[] = [
  ['one zxid for two writes', () => [write('v1', 5n, 1), write('v2', 5n, 2)], /one zxid/],
  [
    'a later write with a lower zxid',
    () => [write('v1', 9n, 1), write('v2', 5n, 1)],
    /began after/,
  ],
  ['a version that was made twice', () => [write('v1', 5n, 1), write('v2', 6n, 1)], /made version/],
  [
    'a write that nobody made between',
    () => [write('v1', 5n, 1), write('v2', 6n, 3)],
    /made version/,
  ],
  ['a value out of nowhere', () => [read('ghost', 4n, 9n)], /nobody wrote/],
  ['a value at another zxid', () => [write('v1', 5n, 1), read('v1', 6n, 9n)], /shown as written/],
  [
    'a value before it was written',
    () => [read('v1', 5n, 9n, { session: 'b' }), write('v1', 5n, 1)],
    /before it was written/,
  ],
  [
    'a stale read of its own write',
    () => [write('v1', 5n, 1), write('v2', 6n, 2), read('v1', 5n, 6n)],
    /and not "v2"/,
  ],
  [
    'a stale read at a zxid that has more',
    () => [
      write('v1', 5n, 1),
      read('first', 1n, 7n, { session: 'b', version: 0 } as Partial<Seen>),
    ],
    /and not "v1"/,
  ],
  ['a read of the future', () => [write('v1', 5n, 1), read('v1', 5n, 4n)], /a later write/],
  [
    'a session that goes back in time',
    () => [read('first', 1n, 9n), read('first', 1n, 8n)],
    /back to/,
  ],
];

for (const [name, make, problem] of WRONG) {
  test(`a history that cannot be: ${name}`, () => {
    const problems = checkHistory(make(), BEGINNING);
    assert.ok(
      problems.some((text) => problem.test(text)),
      problems.join('; ') || 'nothing was found',
    );
  });
}

test('an acknowledged write that is gone in the end is found', () => {
  const kept = write('v1', 5n, 1);
  const end = read('v1', 5n, 9n);
  if (end.kind !== 'read') throw new Error('no read');
  assert.equal(checkEnd([kept], new Map([['/x', end]])), []);
  assert.is(checkEnd([kept, write('v2', 6n, 2)], new Map([['/x', end]])).length, 1);
  assert.is(checkEnd([kept], new Map()).length, 1);
});

test.run();
