// Makes dist/cjs: the entries of the package as CommonJS, with their types, for require() and Jest.
// A program should use one of both copies, because each has its own classes.
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'dist', 'cjs');
const BROWSER =
  "throw new Error('zksh: no browser can run it: ZooKeeper needs TCP sockets. " +
  "Import it in a server, or ask the HTTP API of zkops console.');\n";
/** The old package exports its class itself. */
const CLASS_ITSELF =
  'module.exports = Object.assign(module.exports.ZooKeeper, ' +
  '{ default: module.exports.ZooKeeper, __esModule: true });\n';

const typeLine = (name) =>
  name === 'Callback'
    ? 'type Callback<A extends readonly unknown[]> = entry.Callback<A>;'
    : `type ${name} = entry.${name};`;
/** The same for types, by the names that its module exports. */
const CLASS_ITSELF_TYPES = (names) => `import * as entry from './entry.js';
declare const ZooKeeper: typeof entry.ZooKeeper & { readonly default: typeof entry.ZooKeeper };
type ZooKeeper = entry.ZooKeeper;
declare namespace ZooKeeper {
${names.map((name) => `  ${typeLine(name)}\n`).join('')}}
export = ZooKeeper;
`;
/** Jest's DOM replaces the timers by those of browsers, which return numbers, and has fewer. */
const TIMERS = ['Timeout', 'Interval', 'Immediate'].flatMap((of) => [`set${of}`, `clear${of}`]);
const BANNER = `const moduleUrl = require('node:url').pathToFileURL(__filename).href;
const timersOfHost = typeof document === 'object' ? require('node:timers') : globalThis;`;

const COMMON = {
  absWorkingDir: root,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  logLevel: 'warning',
};

function entries() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(exports).map((entry) =>
    entry.require.default.replace('./dist/cjs/', 'src/').replace(/\.js$/, '.ts'),
  );
}

/** The sources that the entries import, and the worker, which they start by its URL. */
async function sources() {
  const worker = 'src/server/node/storage/snapshot-worker.ts';
  const entryPoints = [...entries(), worker];
  const found = { ...COMMON, entryPoints, bundle: true, packages: 'external', metafile: true };
  const { metafile } = await build({
    ...found,
    write: false,
    outdir,
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return Object.keys(metafile.inputs);
}

/** Copies a declaration file, and those that it imports. */
function copyTypes(file, seen) {
  if (seen.has(file)) return;
  seen.add(file);
  const from = join(root, 'dist', 'src', file);
  const to = join(outdir, file);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  for (const [, path] of readFileSync(from, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.js['"]/g)) {
    const next = resolve(dirname(from), `${path}.d.ts`);
    copyTypes(relative(join(root, 'dist', 'src'), next), seen);
  }
}

export async function buildCommonJs() {
  rmSync(outdir, { recursive: true, force: true });
  await build({
    ...COMMON,
    entryPoints: await sources(),
    outbase: join(root, 'src'),
    outdir,
    define: {
      'import.meta.url': 'moduleUrl',
      ...Object.fromEntries(TIMERS.map((name) => [name, `timersOfHost.${name}`])),
    },
    banner: { js: BANNER },
  });
  const seen = new Set();
  for (const entry of entries())
    copyTypes(entry.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'), seen);
  writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(outdir, 'browser.js'), BROWSER);
  exportClassItself(join(outdir, 'compat/zookeeper'));
}

function exportClassItself(folder) {
  const types = join(folder, 'index.d.ts');
  const text = readFileSync(types, 'utf8');
  const names = [...text.matchAll(/^export type \{([^}]+)\}/gm)].flatMap(([, list]) =>
    list.split(',').map((name) => name.trim()),
  );
  renameSync(types, join(folder, 'entry.d.ts'));
  writeFileSync(types, CLASS_ITSELF_TYPES(['ZooKeeper', ...names.filter(Boolean)]));
  writeFileSync(join(folder, 'entry.js'), "module.exports = require('./index.js');\n");
  writeFileSync(join(folder, 'index.js'), CLASS_ITSELF, { flag: 'a' });
}
