// Every public class and function has an example on its declaration, which compiles in strict
// TypeScript.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from './support/machine/temp-dir.js';
import { PROJECT_ROOT, readProjectFile, readSources } from './support/tidy/source-file.js';

/** A comment of documentation, and the class or function that it describes. */
const DOCUMENTED =
  /^\/\*\*\n((?: \*.*\n)+?) \*\/\nexport (?:async )?(?:class|const|function\*?) (\w+)/gm;

interface Entry {
  /** In the exports of package.json: "./client". */
  readonly name: string;
  /** Where its declarations are: "src/client". */
  readonly folder: string;
  /** The compiled module. */
  readonly file: string;
  /** Its classes and functions; an error needs no example of its own. */
  readonly callables: readonly string[];
}

async function readEntries(): Promise<Entry[]> {
  const { exports } = JSON.parse(readProjectFile('package.json'));
  const entries: Entry[] = [];
  for (const [name, { import: paths }] of Object.entries<{ import: { default: string } }>(
    exports,
  )) {
    if (name === '.') continue;
    const file = join(PROJECT_ROOT, paths.default);
    const module: Record<string, unknown> = await import(file);
    const callables = Object.entries(module).flatMap(([each, value]) =>
      each === 'default' || typeof value !== 'function' || value.prototype instanceof Error
        ? []
        : [each],
    );
    entries.push({ name, folder: dirname(paths.default).replace('./dist/', ''), file, callables });
  }
  return entries;
}

const ENTRIES = await readEntries();

/** By the name of the class or function. */
function examplesIn(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { text } of readSources(folder)) {
    for (const [, comment = '', name = ''] of text.matchAll(DOCUMENTED)) {
      const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
      const start = lines.findIndex((line) => line.startsWith('@example'));
      if (start === -1) continue;
      const rest = lines.slice(start + 1);
      const end = rest.findIndex((line) => line.startsWith('@'));
      const sameLine = (lines[start] ?? '').slice('@example'.length);
      found.set(name, [sameLine, ...rest.slice(0, end === -1 ? undefined : end)].join('\n'));
    }
  }
  return found;
}

function examplesOf({ folder, callables }: Entry): readonly (readonly [string, string])[] {
  // Stat is a class of the protocol.
  const all = new Map([...examplesIn('src/protocol'), ...examplesIn(folder)]);
  return callables.map((name) => [name, all.get(name) ?? ''] as const);
}

test('every public class and function has an example', () => {
  assert.ok(ENTRIES.length === 5 && ENTRIES.every(({ callables }) => callables.length > 0));
  const missing = ENTRIES.flatMap((entry) =>
    examplesOf(entry).flatMap(([name, body]) =>
      body.trim() === '' ? [`${entry.name} ${name}`] : [],
    ),
  );
  assert.equal(missing, []);
});

/** What an example may use: its own entry, and what it hides least of the others. */
function headOf(own: Entry): string[] {
  const seen = new Set<string>();
  const others = ENTRIES.filter(({ name }) => !name.startsWith('./compat/') && name !== own.name);
  const imports = [own, ...others].map(({ callables, file, name }) => {
    const extra = name === './compat/node-zookeeper-client' ? ['Permission'] : [];
    const names = [...callables, ...extra].filter((each) => !seen.has(each));
    for (const each of names) seen.add(each);
    return `import { ${names.join(', ')} } from '${file}';`;
  });
  const type = own.name === './compat/node-zookeeper-client' ? 'Client' : 'ZooKeeperClient';
  const from = own.name.startsWith('./compat/node') ? own.file : fileOf('./client');
  return [
    ...imports,
    `import type { ${type} } from '${from}';`,
    `declare const client: ${type};`,
    'declare const signal: AbortSignal;',
    'declare function work(signal: AbortSignal): Promise<void>;',
  ];
}

function fileOf(name: string): string {
  return ENTRIES.find((entry) => entry.name === name)?.file ?? '';
}

/** The faults of the compiler in these examples. */
function faultsOf(all: readonly (readonly [Entry, readonly (readonly [string, string])[]])[]) {
  const folder = makeTempDir('examples');
  try {
    const files = all.map(([entry, examples], at) => {
      const bodies = examples.map(
        ([name, body]) => `export async function of${name}(): Promise<void> {\n${body}\n}`,
      );
      writeFileSync(join(folder.path, `${at}.mts`), [...headOf(entry), ...bodies].join('\n'));
      return `${at}.mts`;
    });
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['ES2023', 'ESNext.Disposable'],
      types: ['node'],
      typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
      noEmit: true,
    };
    const config = join(folder.path, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const tsc = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' }).stdout;
  } finally {
    folder.remove();
  }
}

test('the examples compile, and one that does not is found', () => {
  assert.is(faultsOf(ENTRIES.map((entry) => [entry, examplesOf(entry)])), '');
  const recipes = ENTRIES.filter(({ name }) => name === './recipes');
  const bad = recipes.map(
    (entry) => [entry, [['Bad', 'await new Lock(client).acquire();']]] as const,
  );
  assert.match(faultsOf(bad), /error TS2554/);
});

test.run();
