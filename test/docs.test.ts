import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as recipes from '../src/recipes/index.js';
import { errorsPage } from './support/errors-page.js';
import { blocksOf, COMMANDS, checkConsole, checkPrograms } from './support/page-examples.js';
import { PROJECT_ROOT, readProjectFile, readSources } from './support/tidy/source-file.js';

const ROOT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'];
const GUIDES = readdirSync(join(PROJECT_ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const PAGES = [...ROOT_PAGES, ...GUIDES, 'test/PROOFS.md', 'bench/RESULTS.md'];

test('docs/recipes.md knows every recipe that the package has', () => {
  const page = readProjectFile('docs/recipes.md');
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(page);
  assert.equal(
    Object.keys(recipes).filter((name) => !isNamed(name)),
    [],
  );
});

test('the index of docs/ has every page', () => {
  const index = readProjectFile('docs/README.md');
  const missing = GUIDES.map((path) => path.slice('docs/'.length)).filter(
    (name) => name !== 'README.md' && !index.includes(`(${name})`),
  );
  assert.equal(missing, []);
});

test('docs/errors.md has the text of every error (npm run errors)', () => {
  assert.fixture(readProjectFile('docs/errors.md'), errorsPage(readSources('src')));
});

/** As GitHub makes the anchor of a heading. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('links within the project lead somewhere', () => {
  const broken = PAGES.flatMap((path) => {
    const page = readProjectFile(path).replace(/```[\s\S]*?```/g, '');
    return [...page.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor = ''] = target.split('#');
      const found = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(PROJECT_ROOT, found))) return [`${path}: ${target}`];
      const isThere =
        anchor === '' ||
        !found.endsWith('.md') ||
        anchorsOf(readProjectFile(found)).includes(anchor);
      return isThere ? [] : [`${path}: ${target}`];
    });
  });
  assert.equal(broken, []);
});

/** What a program, or one command of it, says of its options. */
function helpOf(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const script = fileURLToPath(new URL(`../bin/${program}.cjs`, import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...rest, '--help'], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('the flags of commands in the guides exist', () => {
  const known = new Map<string, string>();
  const unknown: string[] = [];
  for (const path of ['README.md', ...GUIDES]) {
    const lines = [...blocksOf(readProjectFile(path), 'sh')].flatMap((block) => block.split('\n'));
    for (const line of lines) {
      const [program = '', verb = ''] = line.trim().split(/\s+/);
      if (!COMMANDS.some((name) => name === program)) continue;
      const words = program !== 'zksh' && /^[a-z-]+$/.test(verb) ? [program, verb] : [program];
      const key = words.join(' ');
      const help = known.get(key) ?? helpOf(words);
      known.set(key, help);
      for (const [flag] of line.replace(/#.*/, '').matchAll(/(?<=\s)--[a-z-]+/g)) {
        if (!help.includes(flag)) unknown.push(`${path}: ${key} has no ${flag}`);
      }
    }
  }
  assert.equal(unknown, []);
});

for (const path of GUIDES) {
  const page = readProjectFile(path);
  if (blocksOf(page, 'console').length > 0) {
    test(`the console blocks of ${path} show what a terminal shows`, () => checkConsole(page));
  }
  if (blocksOf(page, 'text').length > 0) {
    test(`the programs of ${path} print what it says`, () => checkPrograms(page));
  }
}

test.run();
