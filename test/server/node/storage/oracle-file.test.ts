import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OracleFile } from '../../../../src/server/node/storage/oracle-file.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

/** Runs `body` with the path of a file, its answers, and its warnings. */
async function withFile(
  body: (path: string, ask: () => Promise<boolean>, warnings: string[]) => Promise<void>,
): Promise<void> {
  const dir = makeTempDir('oracle-file');
  try {
    const path = join(dir.path, 'mastership');
    const warnings: string[] = [];
    const oracle = new OracleFile(path, (message) => warnings.push(message));
    await body(path, () => new Promise((resolve) => oracle.ask(resolve)), warnings);
  } finally {
    dir.remove();
  }
}

test('only a file with the one character 1 says yes', () =>
  withFile(async (path, ask, warnings) => {
    for (const [text, isGranted] of [
      ['1', true],
      ['1\n', true],
      ['1\r\n', true],
      ['0', false],
      ['0\n', false],
      ['', false],
      ['\n1', false],
      ['10', false],
      ['1 of 2', false],
      ['yes', false],
      ['true', false],
      [`1${' '.repeat(15)}`, true],
      [`1${' '.repeat(16)}`, false],
      [`1${' '.repeat(30)}0`, false],
    ] as const) {
      writeFileSync(path, text);
      assert.is(await ask(), isGranted, JSON.stringify(text));
    }
    assert.equal(warnings, []);
  }));

test('a file that cannot be read says no, with one warning until that changes', () =>
  withFile(async (path, ask, warnings) => {
    assert.not(await ask());
    assert.not(await ask());
    assert.is(warnings.length, 1);
    assert.match(
      warnings[0] ?? '',
      /^oraclePath: .*mastership: cannot read, which means no: ENOENT/,
    );
    writeFileSync(path, '1');
    assert.ok(await ask());
    rmSync(path);
    assert.not(await ask());
    assert.is(warnings.length, 2);
    mkdirSync(path);
    assert.not(await ask());
    assert.match(warnings[2] ?? '', /EISDIR/);
  }));

test('a named pipe without a writer says no, and does not occupy a thread', () =>
  withFile(async (path, ask) => {
    execFileSync('mkfifo', [path]);
    assert.not(await ask());
    rmSync(path);
    writeFileSync(path, '1');
    assert.ok(await ask());
  }));

test('each question reads the file anew, and one at a time', () =>
  withFile(async (path) => {
    const oracle = new OracleFile(path, () => undefined);
    writeFileSync(path, '1');
    const answers: string[] = [];
    const first = new Promise<void>((resolve) => {
      oracle.ask((isGranted) => {
        answers.push(`first ${isGranted}`);
        // Only the last question during a reading counts.
        oracle.ask(() => answers.push('second'));
        writeFileSync(path, '0');
        oracle.ask((isStillGranted) => {
          answers.push(`third ${isStillGranted}`);
          resolve();
        });
      });
    });
    await first;
    assert.equal(answers, ['first true', 'third false']);
  }));

test.run();
