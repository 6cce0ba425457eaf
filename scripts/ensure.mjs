// Installs and builds missing or stale parts only: a second run only compares times. It prints to
// stderr and never reads stdin, so that `printf 'ls /\n' | npm start` passes all its input to the
// shell.
//
//   node scripts/ensure.mjs --native    also compiles Apache's C client, which only tests and
//                                       benchmarks use: they skip it where it cannot be compiled
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
const installStamp = at('node_modules', '.ensured');
const nativeStamp = at('node_modules', '.native');
const buildStamp = at('dist', '.built');
const SECOND_MS = 1000;

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

/** Resolves to an error text, or undefined. A job of a minute must not look like one that hangs. */
function run(label, command, args) {
  const startedAt = Date.now();
  const say = (text) => process.stderr.write(`${label} …${text}`);
  const show = () => say(` ${Math.round((Date.now() - startedAt) / SECOND_MS)} s\r`);
  say(process.stderr.isTTY ? '\r' : '\n');
  const timer = process.stderr.isTTY ? setInterval(show, SECOND_MS) : undefined;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
    const end = (status, problem) => {
      clearInterval(timer);
      if (timer !== undefined) process.stderr.write('\n');
      const fault = `${command} ${args.join(' ')} failed${problem}`;
      resolve(status === 0 ? undefined : { status: status ?? 1, fault });
    };
    child.on('error', (error) => end(1, `: ${error.message}`));
    child.on('close', (status) => end(status, ''));
  });
}

async function must(...call) {
  const failed = await run(...call);
  if (failed === undefined) return;
  console.error(failed.fault);
  process.exit(failed.status);
}

/** The stamp has the time of the start, so files that change during the work count as newer. */
async function stamp(path, work) {
  const startedAt = new Date();
  await work();
  writeFileSync(path, '');
  utimesSync(path, startedAt, startedAt);
}

if (
  modified(installStamp) < Math.max(modified(at('package-lock.json')), modified(at('package.json')))
) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress'];
  await stamp(installStamp, () =>
    must('installing packages', 'npm', ['ci', ...options, '--loglevel=error']),
  );
}

async function compileNative() {
  if (!process.argv.includes('--native') || modified(nativeStamp) >= modified(installStamp)) return;
  await stamp(nativeStamp, async () => {
    const args = ['rebuild', 'zookeeper', '--no-progress', '--loglevel=error'];
    const failed = await run("compiling Apache's C client", 'npm', args);
    if (failed !== undefined) console.error(`${failed.fault}: its tests are skipped`);
  });
}

async function build() {
  const sources = ['src', 'test', 'bench', 'scripts'].map((folder) => newestIn(at(folder)));
  const newest = Math.max(...sources, modified(at('tsconfig.json')), modified(installStamp));
  if (modified(buildStamp) >= newest) return;
  const tsc = at('node_modules', 'typescript', 'bin', 'tsc');
  await stamp(buildStamp, async () => {
    await must('compiling', process.execPath, [tsc, '-p', '.']);
    await must('bundling', process.execPath, [at('scripts', 'bundle.mjs')]);
  });
}

await Promise.all([compileNative(), build()]);
