// Installs and builds missing or stale parts only: a second run only compares times. It prints to
// stderr and never reads stdin, so that `printf 'ls /\n' | npm start` passes all its input to the
// shell.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
const installStamp = at('node_modules', '.ensured');
const buildStamp = at('dist', '.built');

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newestIn(folder) {
  // The time of a folder changes when a file in it is deleted or renamed.
  let newest = modified(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    newest = Math.max(newest, modified(join(entry.parentPath ?? entry.path, entry.name)));
  }
  return newest;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(status ?? 1);
  }
}

/** The stamp has the time of the start, so files that change during the work count as newer. */
function stamp(path, work) {
  const startedAt = new Date();
  work();
  writeFileSync(path, '');
  utimesSync(path, startedAt, startedAt);
}

if (
  modified(installStamp) < Math.max(modified(at('package-lock.json')), modified(at('package.json')))
) {
  console.error('installing …');
  stamp(installStamp, () => run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']));
}

const sources = ['src', 'test', 'bench', 'scripts'].map((folder) => newestIn(at(folder)));
if (
  modified(buildStamp) < Math.max(...sources, modified(at('tsconfig.json')), modified(installStamp))
) {
  console.error('building …');
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  stamp(buildStamp, () => {
    run(process.execPath, [tsc, '-p', '.']);
    run(process.execPath, [at('scripts', 'bundle.mjs')]);
  });
}
