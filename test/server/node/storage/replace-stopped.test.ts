import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../../src/server/config/parse-config.js';
import { replaceStopped } from '../../../../src/server/node/storage/replace-stopped.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

const OTHER_USER = 54_321;

/** A data directory with one log. */
async function within(body: (dataDir: string, folder: string) => Promise<void>): Promise<void> {
  const { path: home, remove } = makeTempDir('replace');
  const dataDir = join(home, 'data');
  const folder = join(dataDir, 'version-2');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log.1'), '');
  try {
    await body(dataDir, folder);
  } finally {
    remove();
  }
}

async function replace(dataDir: string): Promise<string> {
  const parsed = parseConfig(`dataDir=${dataDir}\nclientPort=2181`, { fileName: 'zoo.cfg' });
  if ('errors' in parsed) throw new Error(parsed.errors.map(({ text }) => text).join());
  return replaceStopped({ config: parsed.config, dataDir, from: [] }).then(
    () => '',
    (error: NodeJS.ErrnoException) => `${error.code} ${error.message}`,
  );
}

test('data whose log another process has open are not replaced', () =>
  within(async (dataDir, folder) => {
    const source = `
      require('node:fs').openSync(${JSON.stringify(join(folder, 'log.1'))}, 'r');
      console.log('open');
      process.stdin.resume();`;
    const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const problem = await replace(dataDir).finally(() => child.kill('SIGKILL'));
    await ended;
    assert.match(problem, new RegExp(`^EDATADIRINUSE .*log\\.1: process ${child.pid} `));
    assert.equal(readdirSync(folder), ['log.1']);
    assert.is(await replace(dataDir), '');
    assert.not(readdirSync(folder).includes('log.1'));
  }));

test('a folder gets the owner of the one around it', () =>
  within(async (dataDir, folder) => {
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) chownSync(dataDir, OTHER_USER, OTHER_USER);
    assert.is(await replace(dataDir), '');
    const owners = [dataDir, folder].map((path) => statSync(path).uid);
    const owner = isRoot ? OTHER_USER : process.geteuid?.();
    assert.equal(owners, [owner, owner]);
  }));

test.run();
