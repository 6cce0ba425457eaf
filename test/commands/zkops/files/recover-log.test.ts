import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildLog } from '../../../support/bytes/zk-files.js';
import { callTask, taskJson } from '../call-task.js';
import { changed, entries, HEADER_SIZE, RECORD_SIZE, withFiles } from './log-files.js';

test('recover lists damaged records, and fixes their checksums in a copy only', async () => {
  const log = buildLog(entries(1, 2, 3), 512);
  const second = HEADER_SIZE + RECORD_SIZE;
  const third = second + RECORD_SIZE;
  const wrong = changed(changed(log, second + 4, 0x77), third + 5, 0x77);
  const type = third + 12 + 28;
  const files = { 'log.1': changed(wrong, type, 0x66), 'log.2': wrong, 'log.9': log };
  await withFiles(files, async (path) => {
    const dry = await taskJson(['log', 'recover', path('log.2')]);
    assert.equal(
      dry.rows.map((row) => [row['offset'], row['zxid'], row['done']]),
      [
        [second, '0x2', 'can be fixed'],
        [third, '0x3', 'can be fixed'],
      ],
    );
    assert.match(String(dry.rows[0]?.['txn']), /^setData \/app\/n2 20 bytes/);
    assert.equal([dry.exitCode, dry.verdict.problems.length], [1, 1]);
    const target = path('fixed');
    const written = await taskJson(['log', 'recover', path('log.2'), '--to', target]);
    const summary = `${path('log.2')}: 2 of 2 records fixed in ${target}`;
    assert.ok(written.verdict.summary.endsWith(`; ${summary}`), written.verdict.summary);
    assert.equal(readFileSync(target), log);
    assert.equal(readFileSync(path('log.2')), wrong, 'the log itself stays');
    const again = await callTask(['log', 'recover', path('log.2'), '--to', target]);
    assert.is(again.exitCode, 64);
    assert.match(again.error, /cannot copy, so nothing was fixed/);
    const bad = await taskJson(['log', 'recover', path('log.1'), '--to', path('partly')]);
    assert.equal(
      bad.rows.map((row) => row['done']),
      ['fixed', 'not readable'],
    );
    const well = await taskJson(['log', 'recover', path('log.9'), '--to', path('none')]);
    assert.is(well.verdict.summary, `${path('log.9')}: every checksum is right`);
    assert.is(well.exitCode, 0);
  });
});

test.run();
