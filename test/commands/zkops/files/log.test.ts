import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../support/bundled.js';
import {
  buildEntry,
  buildLog,
  buildRecord,
  setDataEntry,
} from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, taskJson } from '../call-task.js';
import { changed, entries, HEADER_SIZE, RECORD_SIZE, withFiles } from './log-files.js';

test('a complete log is healthy, with the padding of a server', async () => {
  await withFiles({ 'log.1': buildLog(entries(1, 2, 3), 4096) }, async (path) => {
    const { rows, verdict, exitCode } = await taskJson(['log', 'verify', path('log.1')]);
    assert.is(exitCode, 0);
    assert.is(verdict.summary, '1 log, 3 records: whole and in order');
    assert.equal(rows, [
      {
        log: path('log.1'),
        size: HEADER_SIZE + 3 * RECORD_SIZE + 4096,
        records: 3,
        first_zxid: '0x1',
        last_zxid: '0x3',
        damaged: 0,
        end_offset: HEADER_SIZE + 3 * RECORD_SIZE,
        ends: 'in order',
      },
    ]);
  });
});

test('damage is reported with file and offset, and does not hide later damage', async () => {
  const log = buildLog(entries(1, 2, 3, 4), 4096);
  const second = HEADER_SIZE + RECORD_SIZE;
  await withFiles({ 'log.1': changed(log, second + 60, 0x21) }, async (path) => {
    const { rows, verdict, exitCode } = await taskJson(['log', 'verify', path('log.1')]);
    assert.is(exitCode, 2);
    const [row] = rows;
    assert.is(row?.['records'], 4);
    assert.is(row?.['damaged'], 1);
    assert.is(row?.['ends'], 'damaged');
    const place = `${path('log.1')}: a record is damaged, at offset ${second} zxid 0x2: the checksum`;
    assert.ok(verdict.problems[0]?.text.startsWith(place), verdict.problems[0]?.text);
    const dumped = await taskJson(['log', 'dump', path('log.1')]);
    assert.is(dumped.exitCode, 2);
    assert.equal(
      dumped.rows.map(({ zxid, check }) => [zxid, check]),
      [
        ['0x1', 'ok'],
        ['0x2', 'bad'],
        ['0x3', 'ok'],
        ['0x4', 'ok'],
      ],
    );
  });
});

test('many damaged records are counted, and reading stops after a hundred', async () => {
  const zxids = Array.from({ length: 300 }, (_, i) => i + 1000);
  let log = buildLog(entries(...zxids));
  const size = buildRecord(entries(1000)[0] ?? Buffer.alloc(0)).length;
  for (let i = 0; i < 300; i++) log = changed(log, HEADER_SIZE + i * size + 60, 0x21);
  await withFiles({ 'log.3e8': log }, async (path) => {
    const { rows, exitCode } = await taskJson(['log', 'verify', path('log.3e8')]);
    assert.is(exitCode, 2);
    assert.is(rows[0]?.['damaged'], 100);
    assert.is(rows[0]?.['ends'], 'corrupt');
  });
});

const TORN = buildLog(entries(1, 2, 3)).subarray(0, HEADER_SIZE + 2 * RECORD_SIZE + 40);
const ENDINGS: readonly [string, Buffer, number, RegExp][] = [
  [
    'the last record is truncated',
    TORN,
    1,
    /incomplete at offset 1\d\d \(the file ends inside a rec/,
  ],
  ['nothing at all', Buffer.alloc(0), 1, /empty: no record was written/],
  ['only zeros', Buffer.alloc(4096), 1, /the file ends inside its header/],
  [
    'no log',
    Buffer.from('ZKSN\0\0\0\x02and so on, long enough'),
    2,
    /this is a snapshot, for zkops snap/,
  ],
  ['a later version', changed(buildLog(entries(1)), 7, 9), 2, /wrong version: \d+ \(expected 2\)/],
  ['a txn is missing', buildLog(entries(1, 2, 5)), 1, /missing between 0x2 and 0x5/],
  ['another name', buildLog(entries(7, 8)), 1, /first record is 0x7, which differs from its name/],
  [
    'a txn of unknown type',
    buildLog([buildEntry({ zxid: 1n, type: 77, body: Buffer.alloc(4) })]),
    2,
    /invalid txn type in a log: 77/,
  ],
];

for (const [what, bytes, exitCode, words] of ENDINGS) {
  test(`verify reports ${what}`, async () => {
    await withFiles({ 'log.1': bytes }, async (path) => {
      const verified = await callTask(['log', 'verify', path('log.1')]);
      assert.is(verified.exitCode, exitCode);
      const quiet = await callTask(['log', 'verify', path('log.1'), '-q']);
      assert.match(quiet.out, words);
      assert.ok(quiet.out.includes(path('log.1')), 'the file is named');
      assert.is(
        (await callTask(['log', 'verify', path('log.1'), '-o', 'nagios'])).exitCode,
        exitCode,
      );
    });
  });
}

test('a folder means all its logs, and no txn may be missing between two of them', async () => {
  const files = { 'log.1': buildLog(entries(1, 2)), 'log.3': buildLog(entries(3, 4)) };
  await withFiles(files, async (path) => {
    const whole = await taskJson(['log', 'verify', path('.')]);
    assert.is(whole.exitCode, 0);
    assert.is(whole.totals['records'], 4);
    writeFileSync(path('log.9'), buildLog(entries(9)));
    const { exitCode, verdict } = await taskJson(['log', 'verify', path('.')]);
    assert.is(exitCode, 1);
    assert.match(verdict.problems[0]?.text ?? '', /log\.9: txns are missing between 0x4 and 0x9/);
  });
});

test('an unreadable file gives exit code 3, and wrong usage 64', async () => {
  await withFiles({}, async (path) => {
    const missing = await callTask(['log', 'verify', path('log.1')]);
    assert.is(missing.exitCode, 3);
    assert.match(missing.error, /log\.1: cannot read: the file does not exist/);
    assert.is((await callTask(['log', 'verify', path('.')])).exitCode, 3);
    assert.is((await callTask(['log', 'verify'])).exitCode, 64);
    assert.is((await callTask(['log', 'verrify'])).exitCode, 64);
    const bad = await callTask(['log', 'dump', path('.'), '--from', 'one']);
    assert.is(bad.exitCode, 64);
    assert.match(bad.error, /--from: invalid id: "one" \(expected a zxid/);
  });
});

test('dump filters by zxid, session, path, and type', async () => {
  const body = Buffer.from([0, 0, 0x75, 0x30]);
  const session = buildEntry({ zxid: 4n, type: -10, body, clientId: 0x77n });
  await withFiles({ 'log.1': buildLog([...entries(1, 2, 3), session]) }, async (path) => {
    const zxids = async (...args: string[]) =>
      (await taskJson(['log', 'dump', path('log.1'), ...args])).rows.map(({ zxid }) => zxid);
    assert.equal(await zxids(), ['0x1', '0x2', '0x3', '0x4']);
    assert.equal(await zxids('--from', '0x2', '--to', '3'), ['0x2', '0x3']);
    assert.equal(await zxids('--session', '0x77'), ['0x4']);
    assert.equal(await zxids('--path', '/app/n2'), ['0x2']);
    assert.equal(await zxids('--path', '/app'), ['0x1', '0x2', '0x3']);
    assert.equal(await zxids('--type', 'createSession'), ['0x4']);
    const { out } = await callTask(['log', 'dump', path('log.1'), '-o', 'csv', '--from', '4']);
    assert.is(
      out,
      'zxid,time,session,cxid,type,check,offset,path,detail\n' +
        `0x4,2023-11-14T22:13:20.000Z,0x77,1,createSession,ok,${HEADER_SIZE + 3 * RECORD_SIZE},,timeout 30000 ms\n`,
    );
  });
});

test('dump --data prints what each txn wrote', async () => {
  const written = [
    setDataEntry(1n, '/a', Buffer.from('a "text"\nin two lines')),
    setDataEntry(2n, '/b', Buffer.from([0xff, 0])),
    setDataEntry(3n, '/c', Buffer.alloc(0)),
  ];
  await withFiles({ 'log.1': buildLog(written) }, async (path) => {
    const { rows } = await taskJson(['log', 'dump', path('log.1'), '--data']);
    assert.equal(
      rows.map(({ data }) => data),
      ['a "text"\nin two lines', 'base64:/wA=', ''],
    );
    const { out } = await callTask(['log', 'dump', path('log.1'), '--data']);
    assert.match(out, /DATA\n/);
    assert.is(out.split('\n').filter((line) => line.includes('in two lines')).length, 1);
    const plain = await taskJson(['log', 'dump', path('log.1')]);
    assert.not.ok('data' in (plain.rows[0] ?? {}));
  });
});

test('truncate requires a copy or --yes, and otherwise leaves the log alone', async () => {
  const log = buildLog(entries(1, 2, 3), 512);
  await withFiles({ 'log.1': log }, async (path) => {
    const refused = await callTask(['log', 'truncate', path('log.1'), '--after', '1']);
    assert.is(refused.exitCode, 64);
    assert.match(refused.error, /add --backup FILE .* --yes to confirm/);
    const dry = await callTask(['log', 'truncate', path('log.1'), '--after', '1', '--dry-run']);
    assert.is(dry.exitCode, 0);
    assert.match(dry.out, /would be cut after offset/);
    assert.equal(readFileSync(path('log.1')), log);
    const copy = path('copy');
    const cut = ['log', 'truncate', path('log.1'), '--after', '0x2', '--backup', copy];
    assert.is((await callTask(cut)).exitCode, 0);
    assert.equal(readFileSync(copy), log);
    assert.equal(readFileSync(path('log.1')), buildLog(entries(1, 2)));
    const again = await callTask([
      'log',
      'truncate',
      path('log.1'),
      '--after',
      '1',
      '--backup',
      copy,
    ]);
    assert.is(again.exitCode, 64, 'never over an existing copy');
    assert.match(again.error, /cannot copy, so nothing was truncated/);
    assert.equal(readFileSync(path('log.1')), buildLog(entries(1, 2)));
  });
});

test('truncate cuts only at the border of a record', async () => {
  const log = buildLog(entries(1, 2, 5));
  await withFiles({ 'log.1': log }, async (path) => {
    const bad = await callTask(['log', 'truncate', path('log.1'), '--after', '4', '--yes']);
    assert.is(bad.exitCode, 64);
    assert.match(bad.error, /has no record with zxid 0x4 \(the previous record is 0x2\)/);
    assert.equal(readFileSync(path('log.1')), log);
    const both = ['log', 'truncate', path('log.1'), '--after', '2', '--damaged', '--yes'];
    assert.is((await callTask(both)).exitCode, 64);
    const folder = ['log', 'truncate', path('.'), '--after', '2', '--yes'];
    assert.is((await callTask(folder)).exitCode, 64);
  });
});

test('truncate --damaged cuts at the first damage, and leaves a complete log alone', async () => {
  const log = buildLog(entries(1, 2, 3, 4), 64);
  const third = HEADER_SIZE + 2 * RECORD_SIZE;
  const files = {
    'log.1': changed(log, third + 60, 0x21),
    'log.9': TORN,
    'log.a': log,
    'no-log': Buffer.from('ZKSN, and then something else'),
  };
  await withFiles(files, async (path) => {
    const cut = (name: string) => taskJson(['log', 'truncate', path(name), '--damaged', '--yes']);
    const damaged = await cut('log.1');
    assert.is(damaged.rows[0]?.['records_cut'], 2);
    assert.is(damaged.exitCode, 1, 'later logs exist');
    assert.match(damaged.verdict.problems[0]?.text ?? '', /^log\.9, log\.a come after it/);
    assert.equal(readFileSync(path('log.1')), buildLog(entries(1, 2)));
    await cut('log.9');
    assert.equal(readFileSync(path('log.9')), buildLog(entries(1, 2)));
    const whole = await cut('log.a');
    assert.is(whole.rows[0]?.['done'], 'nothing to cut');
    assert.equal(readFileSync(path('log.a')), log);
    const other = await callTask(['log', 'truncate', path('no-log'), '--damaged', '--yes']);
    assert.is(other.exitCode, 64);
    assert.match(other.error, /not a transaction log/);
  });
});

test("truncate leaves a running server's log alone", async () => {
  const home = makeTempDir('files');
  const server = await startBundled({ dataDir: home.path });
  try {
    writeFileSync(join(home.path, 'version-2', 'log.1'), buildLog(entries(1, 2)));
    const log = join(home.path, 'version-2', 'log.1');
    const { exitCode, error } = await callTask(['log', 'truncate', log, '--after', '1', '--yes']);
    assert.is(exitCode, 64);
    assert.match(error, new RegExp(`process ${process.pid} has locked .*: stop that server first`));
  } finally {
    await server.close();
    home.remove();
  }
});

test('an interrupted run exits with 130', async () => {
  await withFiles({ 'log.1': buildLog(entries(1)) }, async (path) => {
    const signal = AbortSignal.abort();
    const { exitCode } = await callTask(['log', 'verify', path('log.1')], { signal });
    assert.is(exitCode, 130);
  });
});

test.run();
