// Lints, and runs each compiled test file in a separate process, two more at a time than the
// machine has cores, or one more with parts. The last line is "N passed, N failed".
//
//   node scripts/test.mjs                        all but test/conformance and *.long.test.*
//   node scripts/test.mjs [part of a path]…      only files whose path contains one of the parts;
//                                                a folder/ leaves out its *.long.test.*
//   node scripts/test.mjs --conformance          against Apache's server: test/conformance, and the
//                                                files whose first line says so
//   node scripts/test.mjs --in FOLDER            the files of another folder, without the lint
//
// uvu exits 0 for a file that never calls .run() or whose hook throws. So a file that reports no
// total counts as failed.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve as resolvePath, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const FILE_TIMEOUT_MS = 8 * 60_000;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const otherFolder = args[0] === '--in' ? resolvePath(args.splice(0, 2)[1] ?? '.') : undefined;
const compiled = otherFolder ?? join(root, 'dist', 'test');
const isConformance = args[0] === '--conformance';
if (isConformance) process.env['TEST_SERVER'] = 'apache';
const wanted = isConformance ? args.slice(1) : args;

function testFiles() {
  return readdirSync(compiled, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .filter((name) => otherFolder !== undefined || hasSource(name))
    .filter((name) => !isConformance || isOfConformance(name))
    .filter((name) => (wanted.length === 0 ? isConformance || isUsual(name) : isWanted(name)))
    .sort()
    .sort((a, b) => isSlow(b) - isSlow(a))
    .map((name) => join(compiled, name));
}

/**
 * The comparison with Apache's servers (npm run conformance), and the long campaigns, packages, and
 * guides (npm run test:long) each take as long as all other tests.
 */
function isUsual(name) {
  return otherFolder !== undefined || !(name.startsWith(`conformance${sep}`) || isLong(name));
}

function isLong(name) {
  return name.endsWith('.long.test.js');
}

function isWanted(name) {
  return wanted.some((part) => hasPart(name, part) && !(isLong(name) && part.endsWith('/')));
}

function isOfConformance(name) {
  if (isLong(name)) return false;
  return name.startsWith(`conformance${sep}`) || sourceOf(name).startsWith('// conformance: ');
}

/** A part matches at the start of a word: `man` is in man-page.test.js, not in commands/. */
function hasPart(name, part) {
  return `/${name}`.split(/(?=[/.-])/).some((_, at, words) => {
    const rest = words.slice(at).join('');
    return rest.startsWith(part) || rest.slice(1).startsWith(part);
  });
}

const SLOW = [
  'strangers',
  'sim',
  'cli/repl',
  'console/page',
  'docs',
  'recipes/scenarios',
  'conformance/recipes',
  'conformance/repl',
  'scripts/node-versions',
  'deploy/tls',
];

/** Files that take most of a minute start first, so that no core idles at the end. */
function isSlow(name) {
  return Number(SLOW.some((part) => name.startsWith(part)));
}

/** dist keeps the output of deleted sources. */
function hasSource(name) {
  return sourceOf(name) !== '';
}

/** Its text; '' without one. */
function sourceOf(name) {
  const files = ['.ts', '.tsx'].map((ext) => join(root, 'test', name.replace(/\.js$/, ext)));
  const file = files.find((each) => existsSync(each));
  return file === undefined ? '' : readFileSync(file, 'utf8');
}

function count(output, label) {
  const matches = [...output.matchAll(new RegExp(`^  ${label}:\\s+(\\d+)`, 'gm'))];
  return matches.reduce((sum, match) => sum + Number(match[1]), 0);
}

/** Resolves to what a process of Node.js printed, and how it ended. */
function runNode(args) {
  return new Promise((resolve) => {
    const startedAt = Date.now();
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', NODE_DISABLE_COLORS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // Processes that the test did not stop may hold the other ends.
      child.stdout.destroy();
      child.stderr.destroy();
    }, FILE_TIMEOUT_MS);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({ output, status, signal, ms: Date.now() - startedAt });
    });
  });
}

function report(file, { output, status, signal, ms }) {
  const plain = stripVTControlCharacters(output);
  const tests = count(plain, 'Total');
  const passed = count(plain, 'Passed');
  const skipped = count(plain, 'Skipped');
  let failed = tests - passed;
  const name = relative(compiled, file).split(sep).join('/');
  let fault = '';
  if (signal !== null) fault = `ended by ${signal}`;
  else if (status !== 0 && failed === 0) fault = `exited with ${status}`;
  else if (tests + skipped === 0) fault = 'registered no test (is .run() missing?)';
  if (fault !== '') failed = Math.max(failed, 1);
  const mark = failed > 0 ? 'FAIL' : 'ok  ';
  ended++;
  clearProgress();
  console.log(
    `${mark} ${name}: ${passed} passed${skipped > 0 ? `, ${skipped} skipped` : ''} (${ms} ms)${fault && ` ${fault}`} [${ended} of ${total}]`,
  );
  for (const line of plain.split('\n'))
    if (line.startsWith('skipped: ')) console.log(`     ${line}`);
  if (failed > 0) console.log(plain.replace(/^/gm, '     '));
  return { passed, failed, skipped };
}

const sum = { passed: 0, failed: 0, skipped: 0 };

/** The last row of a terminal. */
function showProgress() {
  if (!process.stdout.isTTY) return;
  const files = `${ended} of ${total} files`;
  process.stdout.write(`\r\x1b[2K${files}, ${sum.passed} passed, ${sum.failed} failed`);
}

function clearProgress() {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[2K');
}

/** The linter runs beside the first tests, which leave it time. */
async function lint() {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { output, status } = await runNode([
    biome,
    'check',
    '--colors=off',
    '--error-on-warnings',
    '.',
  ]);
  if (status === 0) return;
  clearProgress();
  console.log(`FAIL lint\n${output}`);
  sum.failed++;
}

const queue = testFiles();
const total = queue.length;
let ended = 0;
if (otherFolder === undefined) {
  const { makeJavaArchive } = await import('../dist/test/support/apache/make-java-archive.js');
  // Without it the tests are slower, and tests that need the server print its error.
  await makeJavaArchive().catch((error) => console.log(`no archive of classes: ${error.message}`));
}
async function worker() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = report(file, await runNode(['--enable-source-maps', file]));
    sum.passed += result.passed;
    sum.failed += result.failed;
    sum.skipped += result.skipped;
    showProgress();
  }
}
const isWhole = wanted.length === 0 && otherFolder === undefined && !isConformance;
// Most files wait for other processes half of the time, but those of conformance have many.
const more = isWhole ? 2 : 1;
const workers = Array.from({ length: availableParallelism() + more }, worker);
showProgress();
await Promise.all([...workers, ...(isWhole ? [lint()] : [])]);
clearProgress();
if (sum.passed + sum.failed === 0) {
  console.log('no test ran');
  sum.failed = 1;
}
if (sum.skipped > 0) console.log(`${sum.skipped} skipped, for the reasons given above`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed === 0 ? 0 : 1);
