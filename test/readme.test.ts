import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../src/server/main.js';
import { freePort } from './support/free-port.js';
import { makeTempDir } from './support/temp-dir.js';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

// What the README shows is what happens: its console blocks are typed, its program is run.

const README = readProjectFile('README.md');
const BIN = new URL('../bin/', import.meta.url);

interface Example {
  readonly command: string;
  /** Lines; "…" stands for any text. */
  readonly output: readonly string[];
}

function blocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...README.matchAll(fence)].map((match) => match[1] ?? '');
}

function examplesOf(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.trimEnd().split('\n');
      return { command, output };
    });
}

/** Columns are as wide as what stands in them, and another port stands in them here. */
function normal(line: string): string {
  return line.replace(/ {2,}/g, '  ').trimEnd();
}

function matches(expected: string, actual: string): boolean {
  const parts = normal(expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2}/g, ' +'));
  return new RegExp(`^${parts.join('.*')}$`).test(normal(actual));
}

/** Scripts by the names of the commands, for a PATH. */
function makeCommands(folder: string): void {
  mkdirSync(folder);
  for (const name of ['zksh', 'zkops', 'zkserver']) {
    const script = fileURLToPath(new URL(`${name}.cjs`, BIN));
    writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

test('its console blocks are what a terminal shows', async () => {
  const home = makeTempDir('readme');
  const port = String(await freePort());
  const bin = join(home.path, 'bin');
  makeCommands(bin);
  const type = (command: string): string[] => {
    const { stdout } = spawnSync('sh', ['-c', `{ ${command.replaceAll('2181', port)} ; } 2>&1`], {
      cwd: home.path,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', PATH: [bin, process.env['PATH']].join(delimiter) },
    });
    return stdout.trimEnd().replaceAll(port, '2181').split('\n');
  };
  try {
    for (const { command, output } of blocks('console').flatMap(examplesOf)) {
      const lines = type(command);
      const isSame =
        lines.length === Math.max(output.length, 1) &&
        output.every((line, i) => matches(line, lines[i] ?? ''));
      if (!isSame) assert.equal(lines, output, command);
    }
  } finally {
    type('zkserver stop 2181 ./data');
    home.remove();
  }
});

/** What cron would run: `sh -c` in the home folder, with the variables that the table sets. */
function cronCommands(table: string): { readonly path: string; readonly commands: string[] } {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const path = lines.find((line) => line.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  const commands = lines
    .filter((line) => !/^[A-Z]+=/.test(line))
    .map((line) => {
      const match = /^(?:[\d*/,-]+\s+){5}(.+)$/.exec(line);
      // A percent sign would be a newline to cron.
      if (match?.[1] === undefined || line.includes('%')) throw new Error(`no crontab: ${line}`);
      return match[1];
    });
  return { path, commands };
}

test('its crontab runs as written, and speaks only when something changes', async () => {
  const home = makeTempDir('readme');
  const bin = join(home.path, 'bin');
  makeCommands(bin);
  const [table = ''] = blocks('crontab');
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
    // Told from the third run in a row on, and once.
    const told = [await mails(), await mails(), await mails(), await mails()];
    assert.equal([told[0], told[1], told[3]], ['', '', '']);
    assert.match(told[2] ?? '', / CRITICAL no member serves: none answers\n/);
    assert.match(metrics(), /^zk_serving\{.*\} 0$/m);
  } finally {
    if (isOpen) await server.close();
    home.remove();
  }
});

test('its programs print what is said below them', () => {
  const programs = blocks('js');
  const expected = blocks('text');
  // Run from the package's folder, so that its own name is found as a user's import would be.
  const runs = programs.map((program) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: PROJECT_ROOT,
      encoding: 'utf8',
    }),
  );
  assert.equal(
    runs.map(({ stdout, stderr }) => stderr + stdout),
    expected,
  );
});

test.run();
