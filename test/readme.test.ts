import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../src/server/main.js';
import { makeTempDir } from './support/machine/temp-dir.js';
import {
  blocksOf,
  checkConsole,
  checkPrograms,
  makeCommands,
} from './support/pages/page-examples.js';
import { readProjectFile } from './support/tidy/source-file.js';

const README = readProjectFile('README.md');

test('its console blocks match a terminal', () => checkConsole(README));

/** Runs the command as cron does: `sh -c` in the home folder, with the variables of the crontab. */
function cronCommands(table: string): { readonly path: string; readonly commands: string[] } {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const path = lines.find((line) => line.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  const commands = lines
    .filter((line) => !/^[A-Z]+=/.test(line))
    .map((line) => {
      const match = /^(?:[\d*/,-]+\s+){5}(.+)$/.exec(line);
      // cron turns an unescaped percent sign into a newline.
      if (match?.[1] === undefined || line.includes('%')) throw new Error(`no crontab: ${line}`);
      return match[1];
    });
  return { path, commands };
}

test('its crontab runs as written and prints only changes', async () => {
  const home = makeTempDir('readme');
  const bin = join(home.path, 'bin');
  makeCommands(bin);
  const [table = ''] = blocksOf(README, 'crontab');
  const { path, commands } = cronCommands(table);
  const server = await startServer({ config: { '4lw.commands.whitelist': '*' } });
  let isOpen = true;
  const runOnce = () =>
    Promise.all(
      commands.map(async (command) => {
        const env = { HOME: home.path, SHELL: '/bin/sh', PATH: [bin, path].join(delimiter) };
        const run = promisify(execFile)('/bin/sh', ['-c', command], { cwd: home.path, env });
        return run.catch((error: { stdout: string; stderr: string }) => error);
      }),
    );
  const mails = async () => (await runOnce()).map(({ stdout, stderr }) => stdout + stderr).join('');
  try {
    assert.is(commands.length, 3);
    writeFileSync(join(home.path, 'hosts.txt'), `${server.connectString}\n`);
    assert.is(await mails(), '');
    const metrics = () => readFileSync(join(home.path, 'zookeeper.prom'), 'utf8');
    assert.match(metrics(), /^zk_serving\{.*\} 1$/m);
    const smoke = readFileSync(join(home.path, 'zk-smoke.prom'), 'utf8');
    assert.match(smoke, /^zkops_verdict\{.*\} 0$/m);
    await server.close();
    isOpen = false;
    // Reported once, on the third failed run in a row.
    const told = [await mails(), await mails(), await mails(), await mails()];
    assert.equal([told[0], told[1], told[3]], ['', '', '']);
    assert.match(told[2] ?? '', / CRITICAL no member serves: no answers\n/);
    assert.match(metrics(), /^zk_serving\{.*\} 0$/m);
  } finally {
    if (isOpen) await server.close();
    home.remove();
  }
});

test('its programs print the output shown', () => checkPrograms(README));

test('it has fewer than 250 lines', () => {
  assert.ok(README.split('\n').length < 250);
});

test.run();
