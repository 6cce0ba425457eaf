import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as recipes from '../src/recipes/index.js';
import { curlTest } from './support/machine/curl.js';
import { brokenLinks } from './support/pages/links.js';
import { blocksOf, COMMANDS, checkConsole, checkPrograms } from './support/pages/page-examples.js';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

const ROOT_PAGES = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
];
const GUIDES = readdirSync(join(PROJECT_ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const PAGES = [...ROOT_PAGES, ...GUIDES, 'test/PROOFS.md', 'bench/RESULTS.md'];

test('docs/recipes.md names every recipe of the package', () => {
  const page = readProjectFile('docs/recipes.md');
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(page);
  assert.equal(
    Object.keys(recipes).filter((name) => !isNamed(name)),
    [],
  );
});

test('the index of docs/ lists every page', () => {
  const index = readProjectFile('docs/README.md');
  const missing = GUIDES.map((path) => path.slice('docs/'.length)).filter(
    (name) => name !== 'README.md' && !index.includes(`(${name})`),
  );
  assert.equal(missing, []);
});

test('links within the project resolve', () => {
  const has = (path: string) => existsSync(join(PROJECT_ROOT, path));
  assert.equal(brokenLinks({ pages: PAGES, has, read: readProjectFile }), []);
});

/** The help text of a program, or of one of its commands. */
function helpOf(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const script = fileURLToPath(new URL(`../bin/${program}.cjs`, import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...rest, '--help'], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** Verbs of zkops with tasks of their own, such as `snap verify`. */
const FAMILIES = ['snap', 'log', 'snapshot', 'backup'];

/** The words before the flags of a line. */
function commandOf(program: string, verb: string, task: string): string[] {
  if (program === 'zksh' || !/^[a-z-]+$/.test(verb)) return [program];
  return FAMILIES.includes(verb) && task !== '' ? [program, verb, task] : [program, verb];
}

test('the guides name units that exist, and stop the init script of Debian before they disable it', () => {
  const own = readdirSync(join(PROJECT_ROOT, 'deploy/systemd')).map((name) => parse(name).name);
  const verbs = 'start|stop|restart|enable|disable|reset-failed|status|is-active';
  const call = new RegExp(`systemctl (?:--quiet )?(?:${verbs}) (?:--now )?([a-z][\\w-]*)`, 'g');
  for (const path of GUIDES) {
    const text = readProjectFile(path);
    for (const [line, unit = ''] of text.matchAll(call)) {
      assert.ok([...own, 'zookeeper'].includes(unit), `${path}: ${line}`);
    }
    // systemd disables an init script, and ignores --now.
    assert.not.match(text, 'disable --now zookeeper', path);
  }
});

test('a block of the guides that makes a member can run again', () => {
  for (const path of ['docs/operate.md', 'docs/deploy.md']) {
    for (const block of blocksOf(readProjectFile(path), 'sh')) {
      if (!/^\(set -e$/m.test(block)) continue;
      const made = block.match(/zkserver init .*--servers/g) ?? [];
      const guarded =
        block.match(/test -e \S+zoo\.cfg \|\|\s+sudo .*zkserver init .*--servers/g) ?? [];
      assert.is(guarded.length, made.length, `${path}: ${block}`);
    }
  }
});

test('a block of a guide that continues after zkops gate or zkops roll stops at its first failure', () => {
  for (const path of GUIDES) {
    for (const block of blocksOf(readProjectFile(path), 'sh')) {
      const commands = block.split('\n').filter((line) => line.trim() !== '');
      const at = commands.findIndex((line) => /^ *zkops (?:gate|roll) /.test(line));
      if (at < 0 || at === commands.length - 1) continue;
      assert.match(block, /^\(set -e$/m, `${path}: ${block}`);
    }
  }
});

test('no loop of a guide waits without end', () => {
  for (const path of GUIDES) {
    for (const block of blocksOf(readProjectFile(path), 'sh')) {
      const loops = block.split('\n').filter((line) => /\b(?:until|while) /.test(line));
      assert.equal(
        loops.filter((line) => !/\btimeout \d/.test(line)),
        [],
        path,
      );
    }
  }
});

test('the flags that the guides use exist', () => {
  const known = new Map<string, string>();
  const unknown: string[] = [];
  for (const path of ['README.md', ...GUIDES]) {
    const lines = [...blocksOf(readProjectFile(path), 'sh')].flatMap((block) => block.split('\n'));
    for (const line of lines) {
      const [program = '', verb = '', task = ''] = line.trim().split(/\s+/);
      if (!COMMANDS.some((name) => name === program)) continue;
      const words = commandOf(program, verb, task);
      const key = words.join(' ');
      const help = known.get(key) ?? helpOf(words);
      known.set(key, help);
      for (const [flag] of line.replace(/#.*|'[^']*'|"[^"]*"/g, '').matchAll(/(?<=\s)--[a-z-]+/g)) {
        if (!help.includes(flag)) unknown.push(`${path}: ${key} has no ${flag}`);
      }
    }
  }
  assert.equal(unknown, []);
});

for (const path of GUIDES) {
  const page = readProjectFile(path);
  if (blocksOf(page, 'console').length > 0) {
    const register = page.includes('$ curl ') ? curlTest : test;
    register(`the console blocks of ${path} match a terminal`, () => checkConsole(page));
  }
  if (blocksOf(page, 'text').length > 0) {
    test(`the programs of ${path} print the output shown`, () => checkPrograms(page));
  }
}

test.run();
