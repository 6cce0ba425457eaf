// Runs a proof of test/PROOFS.md or a benchmark of bench/RESULTS.md by its name:
//
//   npm run prove -- sim --seeds 100
//   npm run bench -- ensemble --rounds 3
//   npm run prove -- sim --help
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [kind = '', ...words] = process.argv.slice(2);
const folder = { prove: 'test', bench: 'bench' }[kind];

/** The programs of the folder: a file or a folder whose main has a comment with its name. */
function programs() {
  const entries = readdirSync(join(root, folder)).map((name) => name.replace(/\.ts$/, ''));
  return [...entries, 'differential'].filter((name) => sourceOf(name) !== undefined);
}

function sourceOf(name) {
  const tests = join('conformance', `${name}.test.ts`);
  const candidates = name === '' ? ['main.ts'] : [`${name}.ts`, join(name, 'main.ts'), tests];
  return candidates.find((path) => {
    const file = join(root, folder, path);
    return existsSync(file) && readFileSync(file, 'utf8').includes(`npm run ${kind} -- ${name}`);
  });
}

/** The first comment of the program. */
function printHelp(source) {
  const text = readFileSync(join(root, folder, source), 'utf8');
  const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(text) ?? [];
  console.log(comment.replace(/^[ \t]*\*? ?/gm, '').trim());
}

const isNamed = words[0] !== undefined && !words[0].startsWith('-');
const name = isNamed ? words.shift() : '';
const source = sourceOf(name);
if (source === undefined || (kind === 'prove' && name === '')) {
  console.error(`${kind}: unknown name: "${name}" (expected one of ${programs().join(', ')})`);
  process.exit(64);
}
if (words.includes('--help') || words.includes('-h')) {
  printHelp(source);
  process.exit(0);
}
// The benchmark of clients also measures Apache's.
const ensure = [join(root, 'scripts', 'ensure.mjs'), ...(name === 'client' ? ['--native'] : [])];
const { status } = spawnSync(process.execPath, ensure, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const main = join(root, 'dist', folder, source.replace(/ts$/, 'js'));
process.argv = [process.argv[0], main, ...words];
try {
  await import(pathToFileURL(main).href);
} catch (error) {
  if (!String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${kind} ${name}: ${error.message}`);
  process.exit(64);
}
