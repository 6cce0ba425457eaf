import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import * as assert from 'uvu/assert';
import { freePort } from '../machine/free-port.js';
import { makeTempDir } from '../machine/temp-dir.js';
import { PROJECT_ROOT } from '../tidy/source-file.js';

/** Runs the examples of a Markdown page and compares the output. */

const BIN = new URL('../../../bin/', import.meta.url);
export const COMMANDS = ['zksh', 'zkops', 'zkserver'] as const;

interface Example {
  readonly command: string;
  /** Compares lines. "…" stands for any text, and alone on a line for any lines. */
  readonly output: readonly string[];
}

export function blocksOf(page: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...page.matchAll(fence)].map((match) => match[1] ?? '');
}

export function examplesOf(page: string): Example[] {
  return blocksOf(page, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.trimEnd().split('\n');
        return { command, output };
      }),
  );
}

/** The width of a column depends on the port. */
function normal(line: string): string {
  return line.replace(/ {2,}/g, '  ').trimEnd();
}

function patternOf(lines: readonly string[]): RegExp {
  const parts = lines.map((line) => {
    if (line === '…') return '(?:.*\n)*';
    const texts = normal(line)
      .split('…')
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2}/g, ' +'));
    return `${texts.join('.*')}\n`;
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** Scripts with the names of the commands, for a PATH. */
export function makeCommands(folder: string): void {
  mkdirSync(folder);
  for (const name of COMMANDS) {
    const script = fileURLToPath(new URL(`${name}.cjs`, BIN));
    writeFileSync(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** Types the console blocks in turn, in a temporary folder. 2181 and 8090 stand for free ports. */
export async function checkConsole(page: string): Promise<void> {
  const home = makeTempDir('page');
  const ports = [
    ['2181', String(await freePort())],
    ['8090', String(await freePort())],
  ] as const;
  const bin = join(home.path, 'bin');
  makeCommands(bin);
  const withPorts = (command: string): string =>
    ports.reduce((text, [shown, port]) => text.replaceAll(shown, port), command);
  const type = (command: string): string => {
    const { stdout } = spawnSync('sh', ['-c', `{ ${withPorts(command)} ; } 2>&1`], {
      cwd: home.path,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', PATH: [bin, process.env['PATH']].join(delimiter) },
    });
    return ports.reduce((text, [shown, port]) => text.replaceAll(port, shown), stdout);
  };
  try {
    for (const { command, output } of examplesOf(page)) {
      const shown = type(command);
      const lines = shown === '' ? '' : `${shown.trimEnd().split('\n').map(normal).join('\n')}\n`;
      if (!patternOf(output).test(lines)) assert.is(shown, output.join('\n'), command);
    }
  } finally {
    type('test ! -f console.pid || kill $(cat console.pid)');
    type('zkserver stop 2181 ./data');
    home.remove();
  }
}

/** Runs each block of JavaScript or TypeScript. The text block after it is its output. */
export function checkPrograms(page: string): void {
  // From the folder of the package, so that its own name resolves as in the import of a user.
  const runs = blocksOf(page, '(?:js|ts)').map((program) => {
    // Node.js has no `await using` before version 24.
    const { code } = transformSync(program, { loader: 'ts', target: 'es2022' });
    return spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: PROJECT_ROOT,
      encoding: 'utf8',
    });
  });
  assert.equal(
    runs.map(({ stdout, stderr }) => stderr + stdout),
    blocksOf(page, 'text'),
  );
}
