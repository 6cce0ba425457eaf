/** An empty project into which the packed tarball is unpacked, with packages that a test needs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeTempDir } from './machine/temp-dir.js';
import { PROJECT_ROOT } from './tidy/source-file.js';

const MODULES = join(PROJECT_ROOT, 'node_modules');

export interface PackedProject {
  readonly path: string;
  readonly tarball: string;
  remove(): void;
}

/** @throws AssertionError with the output, unless the program ends with 0 */
export function runNode(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  assert.is(status, 0, `node ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

export function runNpm(cwd: string, args: readonly string[]): string {
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  return execFileSync('npm', [...args, ...quiet], { cwd, encoding: 'utf8', stdio: [...stdio] });
}

/** @param locked a folder below test, whose package-lock.json has more packages to install */
export function makePackedProject(locked?: string): PackedProject {
  const { path, remove } = makeTempDir('packed');
  try {
    const modules = join(path, 'node_modules');
    mkdirSync(modules);
    if (locked !== undefined) {
      for (const name of ['package.json', 'package-lock.json']) {
        copyFileSync(join(PROJECT_ROOT, 'test', locked, name), join(path, name));
      }
      runNpm(path, ['ci']);
    }
    runNpm(PROJECT_ROOT, ['pack', '--silent', '--pack-destination', path]);
    const tarball = join(path, readdirSync(path).find((name) => name.endsWith('.tgz')) ?? '');
    execFileSync('tar', ['-xzf', tarball, '-C', modules]);
    renameSync(join(modules, 'package'), join(modules, 'zksh'));
    // Of this project's version, which the declarations of the package refer to.
    for (const name of ['@types/node', 'undici-types']) {
      rmSync(join(modules, name), { recursive: true, force: true });
      mkdirSync(join(modules, name, '..'), { recursive: true });
      symlinkSync(join(MODULES, name), join(modules, name));
    }
    return { path, tarball, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
