import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
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
