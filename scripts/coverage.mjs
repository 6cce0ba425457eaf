// Runs tests and prints how much of each folder of src they execute: the functions and branches
// that V8 counts, and the files with the least. Started commands count, too, through the source
// maps of their bundles, which are too coarse for lines. Processes that a test kills do not count.
//
//   node scripts/coverage.mjs                      the tests of the folders of src, and of commands
//   node scripts/coverage.mjs [part of a path]…    as scripts/test.mjs
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHOWN_FILES = 20;
const MEASURES = ['functions', 'branches'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const home = mkdtempSync(join(tmpdir(), 'zksh-coverage-'));
const run = (args, env = {}) =>
  spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  }).status ?? 1;

/** Not the long proofs and terminal tests: they repeat the same code for minutes. */
function partsOfSource() {
  const entries = readdirSync(join(root, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${name}/`);
  return [...folders, 'cli/zk', 'cli/recipes', 'cli/lock', 'index'];
}

function percent({ covered, total }) {
  return total === 0 ? '-' : ((100 * covered) / total).toFixed(1);
}

/** Adds the counts of files by a key. */
function sumBy(files, keyOf) {
  const sums = new Map();
  for (const [path, counts] of files) {
    const key = keyOf(path);
    const sum = sums.get(key) ?? MEASURES.map(() => ({ covered: 0, total: 0 }));
    MEASURES.forEach((measure, at) => {
      sum[at].covered += counts[measure].covered;
      sum[at].total += counts[measure].total;
    });
    sums.set(key, sum);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}

function print(title, rows) {
  console.log(`\n${title.padEnd(52)}${MEASURES.map((name) => name.padStart(10)).join('')}`);
  for (const [name, counts] of rows) {
    console.log(name.padEnd(52) + counts.map((count) => percent(count).padStart(10)).join(''));
  }
}

try {
  const raw = join(home, 'raw');
  const wanted = process.argv.slice(2);
  const status = run(['scripts/test.mjs', ...(wanted.length > 0 ? wanted : partsOfSource())], {
    NODE_V8_COVERAGE: raw,
    // The launchers then let Node.js load the bundles, which keeps their source maps.
    NODE_OPTIONS: '--enable-source-maps',
  });
  const merged = join(home, 'merged');
  const c8 = join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  const options = ['--temp-directory', raw, '--reports-dir', merged, '--reporter', 'json-summary'];
  const made = run([
    c8,
    'report',
    ...options,
    '--src',
    'src',
    '--include',
    'src/**',
    '--all',
    '--exclude-after-remap',
  ]);
  if (made !== 0) process.exit(made);
  const summary = JSON.parse(readFileSync(join(merged, 'coverage-summary.json'), 'utf8'));
  const files = Object.entries(summary)
    .filter(([path]) => path !== 'total')
    .map(([path, counts]) => [relative(root, path).split(sep).join('/'), counts]);
  const least = files
    .filter(([, { functions }]) => functions.total > 0)
    .sort(([, a], [, b]) => a.functions.pct - b.functions.pct)
    .slice(0, SHOWN_FILES);
  print(
    'least covered',
    sumBy(least, (path) => path),
  );
  print('folder', sumBy(files, dirname));
  print(
    'all',
    sumBy(files, () => 'src'),
  );
  process.exit(status);
} finally {
  rmSync(home, { recursive: true, force: true });
}
