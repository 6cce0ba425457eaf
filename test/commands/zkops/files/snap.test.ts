import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeDiff } from '../../../../src/commands/zkops/files/diff-snapshots.js';
import { ByteBuilder, buildLog } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, taskJson } from '../call-task.js';
import { makeSnapshot, TREE } from './make-snapshot.js';

const WHOLE = makeSnapshot({ nodes: TREE, sessions: [0x77n, 0x78n], digestZxid: 5n });

async function withFiles(
  files: Readonly<Record<string, Buffer>>,
  run: (path: (name: string) => string) => Promise<void>,
): Promise<void> {
  const folder = makeTempDir('files');
  try {
    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(join(folder.path, name), bytes);
    }
    await run((name) => join(folder.path, name));
  } finally {
    folder.remove();
  }
}

/** Blocks with only literals, the simplest valid form. */
function snappyOf(bytes: Buffer): Buffer {
  const file = new ByteBuilder().byte(0x82).bytes(Buffer.from('SNAPPY')).byte(0).int(1).int(1);
  for (let at = 0; at < bytes.length; at += 1000) {
    const part = bytes.subarray(at, at + 1000);
    const length = Buffer.from([(part.length & 0x7f) | 0x80, part.length >>> 7]);
    // 61: the length of the literal is in two bytes.
    const tag = Buffer.from([61 << 2, (part.length - 1) & 0xff, (part.length - 1) >>> 8]);
    const block = Buffer.concat([length, tag, part]);
    file.int(block.length).bytes(block);
  }
  return file.build();
}

function flipped(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ 1;
  return copy;
}

test('a complete snapshot is healthy, plain or compressed, with any name', async () => {
  const files = {
    'snapshot.5': WHOLE,
    'snapshot.5.gz': gzipSync(WHOLE),
    copy: gzipSync(WHOLE),
    'snapshot.5.snappy': SNAPPY,
  };
  await withFiles(files, async (path) => {
    for (const [name, packed] of [
      ['snapshot.5', 'none'],
      ['snapshot.5.gz', 'gzip'],
      ['copy', 'gzip'],
      ['snapshot.5.snappy', 'snappy'],
    ] as const) {
      const { rows, exitCode } = await taskJson(['snap', 'verify', path(name)]);
      assert.is(exitCode, 0, name);
      const [row] = rows;
      assert.is(row?.['compression'], packed);
      assert.is(row?.['state'], 'whole');
      assert.is(row?.['digest_state'], 'fits');
      assert.is(row?.['znodes'], TREE.length);
      assert.is(row?.['sessions'], 2);
    }
  });
});

const SNAPPY = snappyOf(WHOLE);
const PACKED = gzipSync(WHOLE);
const ORPHAN = makeSnapshot({ nodes: [...TREE, { path: '/gone/child' }] });
const WRONG_DIGEST = makeSnapshot({ nodes: TREE, digestZxid: 5n, digestError: 1n });
const FAULTS: readonly [string, Buffer, number, RegExp][] = [
  [
    'a flipped bit in data',
    flipped(WHOLE, 700),
    2,
    /damaged at offset \d+: wrong checksum: \d+ \(expected/,
  ],
  ['a corrupt length', flipped(WHOLE, 76), 2, /damaged at offset \d+: /],
  ['truncated in a znode', WHOLE.subarray(0, 900), 2, /the file ends inside its nodes/],
  ['truncated in its seal', WHOLE.subarray(0, -3), 2, /damaged at offset \d+: /],
  ['empty', Buffer.alloc(0), 2, /the file ends inside its header/],
  ['a log', buildLog([]), 2, /this is a transaction log, for zkops log/],
  [
    'a truncated gzip stream',
    PACKED.subarray(0, 150),
    2,
    /the gzip stream is damaged: unexpected end/,
  ],
  ['a damaged gzip stream', flipped(PACKED, PACKED.length - 6), 2, /the gzip stream is damaged/],
  [
    'a truncated snappy stream',
    SNAPPY.subarray(0, 900),
    2,
    /snappy stream is damaged: it ends inside/,
  ],
  ['a damaged snappy stream', flipped(SNAPPY, 17), 2, /the snappy stream is damaged/],
  [
    'a znode without its parent',
    ORPHAN,
    2,
    /1 znode without a parent before \(first: \/gone\/child\)/,
  ],
  [
    'a tree that differs from its digest',
    WRONG_DIGEST,
    2,
    /the digest of its tree is \d+ \(expected \d+\)/,
  ],
];

for (const [what, bytes, exitCode, words] of FAULTS) {
  test(`verify reports ${what}`, async () => {
    await withFiles({ 'snapshot.5': bytes }, async (path) => {
      const quiet = await callTask(['snap', 'verify', path('snapshot.5'), '-q']);
      assert.match(quiet.out, words);
      assert.is(quiet.exitCode, exitCode);
      assert.ok(quiet.out.includes(path('snapshot.5')), 'the file is named');
    });
  });
}

test('a digest of another zxid is normal for a fuzzy snapshot', async () => {
  const fuzzy = makeSnapshot({ nodes: TREE, digestZxid: 9n, digestError: 1n });
  await withFiles({ 'snapshot.5': fuzzy }, async (path) => {
    const { rows, exitCode } = await taskJson(['snap', 'verify', path('snapshot.5')]);
    assert.is(exitCode, 0);
    assert.is(rows[0]?.['digest_state'], 'fuzzy');
  });
});

for (const [what, later] of [
  ['set', { mzxid: 6n }],
  ['create of a child', { pzxid: 6n }],
] as const) {
  test(`a ${what} after the txn of the digest is normal for a fuzzy snapshot`, async () => {
    const nodes = TREE.map((node) => (node.path === '/locks' ? { ...node, ...later } : node));
    const fuzzy = makeSnapshot({ nodes, digestZxid: 5n, digestError: 1n });
    await withFiles({ 'snapshot.5': fuzzy }, async (path) => {
      const { rows, exitCode } = await taskJson(['snap', 'verify', path('snapshot.5')]);
      assert.is(exitCode, 0);
      assert.is(rows[0]?.['digest_state'], 'fuzzy');
    });
  });
}

test('in a folder, a valid snapshot outweighs a damaged one', async () => {
  const files = { 'snapshot.5': WHOLE, 'snapshot.9': WHOLE.subarray(0, 300) };
  await withFiles(files, async (path) => {
    const { rows, exitCode, verdict } = await taskJson(['snap', 'verify', path('.')]);
    assert.is(exitCode, 1);
    assert.equal(
      rows.map(({ zxid, state }) => [zxid, state]),
      [
        ['0x9', 'damaged'],
        ['0x5', 'whole'],
      ],
    );
    assert.match(verdict.problems[0]?.text ?? '', /snapshot\.9: .* falls back to a whole one/);
  });
});

test('top sums subtrees', async () => {
  await withFiles({ 'snapshot.5': WHOLE }, async (path) => {
    const paths = async (...args: string[]) =>
      (await taskJson(['snap', 'top', path('snapshot.5'), ...args])).rows.map(
        ({ path: at, bytes, znodes, children }) => [at, bytes, znodes, children],
      );
    const names = TREE.reduce((sum, node) => sum + node.path.length, 0);
    // Three values of four bytes: /locks and its children, except for their paths.
    const all = names + 5000 + 100 + 1 + 4 * 4;
    const big = '/app/big'.length + 5000 + '/app/big/leaf'.length + 100;
    assert.equal((await paths('--limit', '3')).slice(0, 3), [
      ['/', all, 9, 2],
      ['/app', '/app'.length + big + '/app/small'.length + 1, 4, 2],
      ['/app/big', big, 2, 1],
    ]);
    assert.equal((await paths('--by', 'children', '--limit', '1'))[0]?.[0], '/locks');
    assert.equal(
      (await paths('--by', 'znodes', '--limit', '3')).map(([at]) => at),
      ['/', '/locks', '/app'],
    );
    assert.equal((await paths('--by', 'data', '--limit', '1'))[0]?.[0], '/app/big');
    assert.equal(
      (await paths('--depth', '1')).map(([at]) => at),
      ['/', '/app', '/locks'],
    );
    assert.is((await callTask(['snap', 'top', path('.'), '--by', 'age'])).exitCode, 64);
  });
});

test('dump has no time for the root of a new ensemble, and the number of an impossible time', async () => {
  const nodes = [
    { path: '', time: 0n },
    { path: '/late', time: 2n ** 62n },
    { path: '/early', time: -(2n ** 62n) },
  ];
  await withFiles({ 'snapshot.5': makeSnapshot({ nodes, digestZxid: 5n }) }, async (path) => {
    const table = await callTask(['snap', 'dump', path('.')]);
    const shown = table.out
      .split('\n')
      .flatMap((line) => /(\S+) +(\S+) +0x0 .*\//.exec(line)?.slice(1) ?? []);
    const [late, early] = [2n ** 62n, -(2n ** 62n)].map((time) => `${Number(time)}`);
    assert.equal(shown, ['-', '-', late, late, early, early]);
  });
});

test('dump has every znode with its Stat and ACL, or the sessions', async () => {
  await withFiles({ 'snapshot.5': WHOLE }, async (path) => {
    const { rows, totals } = await taskJson(['snap', 'dump', path('.'), '--data']);
    assert.equal(
      rows.map(({ path: at }) => at),
      TREE.map((node) => node.path || '/'),
    );
    assert.is(totals['znodes'], TREE.length);
    const last = rows.at(-1);
    assert.is(last?.['owner'], '0x78');
    assert.is(last?.['acl'], 'world:anyone:r');
    assert.is(last?.['czxid'], '0x5');
    // As in the JSON of zksh.
    assert.is(last?.['mtime'], 1_700_000_000_000);
    assert.is(last?.['data_base64'], Buffer.from('data').toString('base64'));
    assert.is(rows[1]?.['bytes'], null, 'null data differs from empty data');
    assert.is(rows[0]?.['bytes'], 0);
    const locks = await taskJson(['snap', 'dump', path('.'), '--path', '/locks']);
    assert.is(locks.rows.length, 4);
    const { rows: sessions } = await taskJson(['snap', 'dump', path('.'), '--sessions']);
    assert.equal(sessions, [
      { session: '0x77', timeout_ms: 30_000, ephemerals: 2 },
      { session: '0x78', timeout_ms: 30_000, ephemerals: 1 },
    ]);
  });
});

test('diff shows added, removed, and changed znodes, in any order of the files', async () => {
  const [root = { path: '' }, app = { path: '/app' }, ...rest] = TREE;
  const changed = rest
    .filter((node) => node.path !== '/locks/a')
    .map((node) => (node.path === '/app/small' ? { ...node, data: null, version: 2 } : node));
  // Children in reverse order, because servers write them in the order of a hash table.
  const after = makeSnapshot({ nodes: [root, app, ...changed, { path: '/new', aclKey: 1n }] });
  await withFiles({ 'snapshot.5': WHOLE, 'snapshot.9': after, copy: WHOLE }, async (path) => {
    const found = await taskJson(['snap', 'diff', path('snapshot.5'), path('snapshot.9')]);
    assert.is(found.exitCode, 1);
    assert.equal(found.rows, [
      { change: 'changed', path: '/app/small', what: 'data 1 byte to none, version 0 to 2' },
      { change: 'removed', path: '/locks/a', what: '4 bytes' },
      { change: 'added', path: '/new', what: '4 bytes' },
    ]);
    assert.equal(found.totals, { added: 1, removed: 1, changed: 1 });
    const same = await taskJson(['snap', 'diff', path('snapshot.5'), path('copy')]);
    assert.is(same.exitCode, 0);
    assert.is(same.verdict.summary, 'the trees are the same');
  });
});

test('diff does not compare a damaged snapshot', async () => {
  await withFiles({ 'snapshot.5': WHOLE, 'snapshot.9': flipped(WHOLE, 700) }, async (path) => {
    const found = await taskJson(['snap', 'diff', path('snapshot.5'), path('snapshot.9')]);
    assert.is(found.exitCode, 2);
    assert.match(found.verdict.summary, /: damaged at offset \d+: .*; not compared$/);
    assert.equal(found.rows, []);
  });
});

test('diff finds the same differences with small limits on memory', async () => {
  const after = makeSnapshot({ nodes: [...TREE.slice(0, -1), { path: '/new' }] });
  await withFiles({ 'snapshot.5': WHOLE, 'snapshot.9': after }, async (path) => {
    for (const limits of [
      { hashes: 2, prints: 1 },
      { hashes: 100, prints: 1 },
      { hashes: 4, prints: 100 },
    ]) {
      const group = [makeDiff(limits)];
      const args = ['snap', 'diff', path('snapshot.5'), path('snapshot.9')];
      const found = await taskJson(args, { group });
      const byPath = found.rows.map((row) => `${row['change']} ${row['path']}`).sort();
      assert.equal(byPath, ['added /new', 'removed /locks/c'], JSON.stringify(limits));
    }
  });
});

test.run();
