// Each format with each kind of result, and with errors.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorReport } from '../../../src/commands/program/command-error.js';
import { SHELL_FORMATS } from '../../../src/commands/program/output-format.js';
import { loadRenderer } from '../../../src/commands/results/render.js';
import type { Result } from '../../../src/commands/results/result.js';
import { formatLocalDate } from '../../../src/commands/znodes/local-date.js';
import { Stat } from '../../../src/protocol/data.js';

const STAT = new Stat({
  czxid: 0x1_0000_0002n,
  mzxid: -1n,
  ctime: 1_795_246_200_000n,
  mtime: 0n,
  version: 3,
  cversion: 0,
  aversion: 1,
  ephemeralOwner: 0x7fff_ffff_ffff_ffffn,
  dataLength: 5,
  numChildren: 0,
  pzxid: 2n,
});

const RESULTS: readonly Result[] = [
  { kind: 'done', done: 'cd', path: '/a' },
  { kind: 'children', path: '/', children: ['a', 'b c'], stat: STAT },
  { kind: 'path', path: '/a' },
  { kind: 'paths', paths: ['/a', '/b'] },
  { kind: 'data', path: '/a', data: Buffer.from('hello'), view: 'text', stat: STAT },
  { kind: 'data', path: '/a', data: null, view: 'text' },
  { kind: 'data', path: '/a', data: Buffer.of(0xff, 0), view: 'base64' },
  { kind: 'stat', path: '/a', stat: STAT },
  { kind: 'created', path: '/a', stat: STAT },
  { kind: 'changed', path: '/a', stat: STAT, isStatShown: true },
  { kind: 'deleted', path: '/a', count: 3, isDryRun: false },
  { kind: 'acl', path: '/a', acl: [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }] },
  { kind: 'count', path: '/a', count: 7 },
  { kind: 'identities', identities: [{ authScheme: 'ip', user: '127.0.0.1' }] },
  { kind: 'event', event: { type: 'NodeCreated', path: '/a', zxid: -1n } },
  { kind: 'message', text: 'Sync is OK', fields: { synced: '/' } },
];

for (const format of SHELL_FORMATS) {
  test(`${format} shows every kind of result in whole lines`, async () => {
    const renderer = await loadRenderer(format, { isTerminal: false });
    for (const result of RESULTS) {
      const shown = renderer.result(result).toString();
      if (result.kind === 'done' && !format.endsWith('json')) assert.is(shown, '');
      else if (format === 'raw' && result.kind === 'data') {
        assert.equal(Buffer.from(renderer.result(result)), result.data ?? Buffer.alloc(0));
      } else assert.match(shown, /\S[\s\S]*\n$/, result.kind);
    }
    assert.is(renderer.result({ kind: 'exit' }).toString(), '');
    assert.is(renderer.result({ kind: 'end' }).toString(), '');
  });
}

test('json and ndjson have the same documents, in ndjson one per line', async () => {
  const json = await loadRenderer('json', { isTerminal: false });
  const ndjson = await loadRenderer('ndjson', { isTerminal: false });
  for (const result of RESULTS) {
    const line = ndjson.result(result).toString();
    assert.is(line.indexOf('\n'), line.length - 1);
    assert.equal(JSON.parse(line), JSON.parse(json.result(result).toString()));
  }
});

test('JSON keeps all 64 bits', async () => {
  const { result } = await loadRenderer('ndjson', { isTerminal: false });
  const { stat } = JSON.parse(result({ kind: 'stat', path: '/a', stat: STAT }).toString()) as {
    stat: Record<string, unknown>;
  };
  assert.is(stat['czxid'], '0x100000002');
  assert.is(stat['mzxid'], '0xffffffffffffffff');
  assert.is(stat['ephemeralOwner'], '0x7fffffffffffffff');
});

test('bytes that are not text are written unchanged, but not to a terminal', async () => {
  const data = Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0xff]);
  const result: Result = { kind: 'data', path: '/a', data, view: 'text' };
  const piped = (await loadRenderer('text', { isTerminal: false })).result(result);
  assert.equal(piped, Buffer.concat([data, Buffer.from('\n')]));
  const shown = (await loadRenderer('text', { isTerminal: true })).result(result).toString();
  assert.match(shown, /\|00000000\| 1b 5b 32 4a ff .*\|\.\[2J\. {11}\|\n/);
});

test('an escape in a name or an id never reaches a terminal', async () => {
  const { result } = await loadRenderer('text', { isTerminal: true });
  const shown = result({
    kind: 'acl',
    path: '/a',
    acl: [{ perms: 1, id: { scheme: 'digest', id: 'x\x1b[2J' } }],
  });
  assert.is(shown, "'digest,'x\\u{1b}[2J\n: r\n");
});

test('names that do not fit a line of the terminal are in columns', async () => {
  const children = Array.from({ length: 12 }, (_, at) => `node-${at}`);
  const shown = async (width: number, isTerminal = true) => {
    const { result } = await loadRenderer('text', { isTerminal, columns: () => width });
    return result({ kind: 'children', path: '/', children }).toString();
  };
  const line = `[${children.join(', ')}]\n`;
  assert.is(await shown(120), line);
  assert.is(await shown(40, false), line, 'for programs');
  assert.is((await shown(40)).split('\n')[0], 'node-0  node-3  node-6  node-9');
});

test('a table of long values has no frame, whose time would grow with their square', async () => {
  const table = await loadRenderer('table', { isTerminal: false });
  const framed = (text: string) => {
    const shown = table.result({ kind: 'data', path: '/a', data: Buffer.from(text), view: 'text' });
    return shown.toString().startsWith('┌');
  };
  assert.ok(framed('line\n'.repeat(900)));
  assert.not(framed('line\n'.repeat(2000)));
  assert.ok(framed('x'.repeat(100_000)));
  assert.not(framed('漢'.repeat(100_000)));
});

test('without UTF-8, trees and tables are drawn in ASCII, and values stay exact', async () => {
  const options = { isTerminal: false, isAscii: true };
  const { result } = await loadRenderer('text', options);
  const drawn = { kind: 'message', text: '├── é', fields: {}, isDrawn: true } as const;
  assert.is(result(drawn), '|-- é\n');
  const data = Buffer.from('├──');
  assert.is(result({ kind: 'data', path: '/a', data, view: 'text' }).toString(), '├──\n');
  const table = await loadRenderer('table', options);
  assert.match(
    table.result({ kind: 'paths', paths: ['/a'] }).toString(),
    /^\+------\+\n\| path \|/,
  );
});

test('a long list has no frame', async () => {
  const table = await loadRenderer('table', { isTerminal: false });
  const paths = Array.from({ length: 150_000 }, (_, at) => `${at}`);
  const shown = table.result({ kind: 'paths', paths }).toString();
  assert.is(shown.slice(0, 13), 'path\n0\n1\n2\n3\n');
});

test('the root has no time, and others have one form', async () => {
  const { result } = await loadRenderer('text', { isTerminal: false });
  const shown = result({ kind: 'stat', path: '/', stat: STAT }).toString();
  assert.match(shown, 'ctime = 2026-11-21T07:30:00.000Z\n');
  assert.match(shown, 'mtime = -\n');
});

test("the dump matches Apache's shell", async () => {
  const { result } = await loadRenderer('text', { isTerminal: false });
  const data = Buffer.from('0123456789abcdefXY');
  assert.is(
    result({ kind: 'data', path: '/a', data, view: 'hexdump' }).toString(),
    [
      '         +-------------------------------------------------+',
      '         |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |',
      '+--------+-------------------------------------------------+----------------+',
      '|00000000| 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66 |0123456789abcdef|',
      '|00000010| 58 59                                           |XY              |',
      '+--------+-------------------------------------------------+----------------+',
      '',
    ].join('\n'),
  );
});

function report(source: string, start: number, end: number): [ErrorReport, string] {
  return [{ code: 'USAGE', exitCode: 64, sentence: 'wrong', place: { start, end } }, source];
}

const CARETS: readonly (readonly [source: string, start: number, end: number, shown: string])[] = [
  ['ls -q', 3, 5, 'wrong\n  ls -q\n     ^^\n'],
  ['get', 3, 4, 'wrong\n  get\n     ^\n'],
  ['ls /\nls -q\nls', 8, 10, 'wrong\n  ls -q\n     ^^\n'],
  ['ls /\r\nls -q\r\n', 9, 11, 'wrong\n  ls -q\n     ^^\n'],
  ['\tls -q', 4, 6, 'wrong\n  \tls -q\n  \t   ^^\n'],
  ['ls /値 -q', 6, 8, 'wrong\n  ls /値 -q\n         ^^\n'],
  ['ls /\u200b -q', 6, 8, 'wrong\n  ls /\\u{200b} -q\n               ^^\n'],
  ["set /a 'x\ny' z", 13, 14, "wrong\n  y' z\n     ^\n"],
  ['', 0, 1, 'wrong\n  \n  ^\n'],
];

for (const [source, start, end, shown] of CARETS) {
  test(`the caret is under its place in ${JSON.stringify(source)}`, async () => {
    const { error } = await loadRenderer('text', { isTerminal: false });
    assert.is(error(...report(source, start, end)), shown);
  });
}

test('errors of scripts begin with file and line', async () => {
  const { error } = await loadRenderer('text', { isTerminal: false });
  const location = { file: 'setup.zk', line: 3 };
  assert.is(
    error({ code: 'NONODE', exitCode: 4, sentence: 'Node does not exist: /x', location }),
    'setup.zk:3: Node does not exist: /x\n',
  );
});

const DATES: readonly (readonly [zone: string, shown: string])[] = [
  ['UTC', 'Sat Nov 21 07:30:00 UTC 2026'],
  ['Europe/Berlin', 'Sat Nov 21 08:30:00 CET 2026'],
  ['America/New_York', 'Sat Nov 21 02:30:00 EST 2026'],
  ['Asia/Kolkata', 'Sat Nov 21 13:00:00 IST 2026'],
];

test('dates look as Java prints them', () => {
  const zone = process.env['TZ'];
  try {
    for (const [name, shown] of DATES) {
      process.env['TZ'] = name;
      assert.is(formatLocalDate(1_795_246_200_000), shown);
    }
    process.env['TZ'] = 'UTC';
    assert.is(formatLocalDate(0), 'Thu Jan 01 00:00:00 UTC 1970');
    assert.is(formatLocalDate(2 ** 53), '9007199254740992');
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('a share is a bar on a terminal, and a number elsewhere', async () => {
  const rows: Result = {
    kind: 'rows',
    columns: [{ key: 'path' }, { key: 'full', isPercent: true }],
    rows: [
      ['/a', 40],
      ['/b', 130],
      ['/c', undefined],
    ],
  };
  const shown = async (format: 'text' | 'ndjson', isTerminal: boolean) =>
    (await loadRenderer(format, { isTerminal })).result(rows).toString();
  assert.is(
    await shown('text', true),
    'PATH  FULL\n/a    ####------ 40 %\n/b    ########## 130 %\n/c    -\n',
  );
  assert.is(await shown('text', false), 'PATH  FULL\n/a    40 %\n/b    130 %\n/c    -\n');
  assert.match(await shown('ndjson', true), /^{"path":"\/a","full":40}\n/);
});

test.run();
