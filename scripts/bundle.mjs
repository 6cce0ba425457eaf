// Makes dist/bin, the commands to ship, with all packages that they use: an installation brings
// nothing else. Each is one file that a launcher runs, so Node.js does not search a hundred files.
// If V8 is the version of the build, it compiles nothing either.
//
//   zksh.cjs zkops.cjs zkserver.cjs    the launchers (src/bin/launch.ts)
//   *-main.cjs                         the commands, with the packages they use
//   snapshot-worker.cjs                the thread of a server that writes and sums snapshots
//   server.cjs, shell-*.js             loaded only by the commands that need them,
//   execa.cjs, yaml.cjs                and these packages, too
//   console/                           the page of zkops console (src/console/page)
//
// It also makes dist/cjs (commonjs.mjs), changes the declarations in dist/src (declarations.mjs),
// puts the packages of the server there, and writes dist/THIRD-PARTY-NOTICES, the licenses of all
// bundled packages (packages.mjs).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeCodeCaches } from './code-cache.mjs';
import { buildCommonJs } from './commonjs.mjs';
import { rewriteDeclarations } from './declarations.mjs';
import { bundlePackages, expectNoImports, requireBuiltIns, writeNotices } from './packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'dist', 'bin');
const COMMANDS = ['zksh', 'zkops', 'zkserver'];
const SERVER = 'src/server/main.ts';
/** A third of zksh's code. Only verbs that run other programs or write YAML need them. */
const APART = ['execa', 'yaml'];
const WORKER = 'src/server/node/storage/snapshot-worker.ts';

/** Native code, from node_modules if it is there. */
const EXTERNAL = ['zookeeper'];

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
  external: EXTERNAL,
  outdir,
};

const COMMONJS = {
  ...COMMON,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  // Code from the cache cannot import, but it can require everything that it imports.
  supported: { 'dynamic-import': false },
  define: {
    'import.meta.url': 'bundleMeta.url',
    'import.meta.filename': '__filename',
  },
  banner: {
    js: "var bundleMeta = { get url() { return require('url').pathToFileURL(__filename).href; } };",
  },
};

/** The modules of src/shell that commands import, by bundle name. */
const shells = new Map();

/**
 * Three parts become separate bundles: src/shell, because Ink uses top-level await and so must be
 * an ES module, and the server and some packages, because few runs of zksh need them. Each has its
 * own copy of every class, so only plain data may pass between bundles, and `instanceof` fails
 * across them.
 */
function leaveApart(isServerApart) {
  return {
    name: 'leave apart',
    setup({ onResolve }) {
      const filter = new RegExp(`^(${APART.join('|')})$`);
      onResolve({ filter }, ({ path }) => ({ path: `./${path}.cjs`, external: true }));
      onResolve({ filter: /^\./ }, ({ path, resolveDir, importer, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const source = relative(root, resolve(resolveDir, path)).replace(/\.js$/, '.ts');
        if (source === SERVER && isServerApart) return { path: './server.cjs', external: true };
        const isFromShell = relative(root, importer).startsWith('src/shell/');
        if (isFromShell || !source.startsWith('src/shell/')) return undefined;
        const name = source.slice('src/'.length, -'.ts'.length).replaceAll('/', '-');
        shells.set(name, source);
        return { path: `./${name}.cjs`, external: true };
      });
    },
  };
}

const leaveOutDebugger = {
  name: 'leave out the debugger of Ink',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/devtools\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/ink/')
        ? { path: './devtools.js', external: true }
        : undefined,
    );
  },
};

function buildLauncher(name) {
  const entryPoints = [{ in: 'src/bin/launch.ts', out: name }];
  const banner = { js: '#!/usr/bin/env node' };
  return build({ ...COMMONJS, entryPoints, banner, sourcemap: false });
}

function buildCommand(name) {
  const entryPoints = [{ in: `src/bin/${name}.ts`, out: `${name}-main` }];
  return build({ ...COMMONJS, entryPoints, plugins: [leaveApart(name === 'zksh')] });
}

/** ES modules, each with a wrapper that a command can require; all exports of it are async. */
async function buildShells() {
  const result = await build({
    ...COMMON,
    entryPoints: [...shells].map(([name, source]) => ({ in: source, out: name })),
    format: 'esm',
    // React's build for production, and Ink without its debugger, which DEV=true would load.
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': 'undefined' },
    logOverride: { 'assign-to-define': 'silent' },
    plugins: [requireBuiltIns, leaveOutDebugger],
    splitting: true,
    chunkNames: 'shell-[name]-[hash]',
  });
  for (const name of shells.keys()) {
    const { exports } = result.metafile.outputs[`dist/bin/${name}.js`];
    const lines = exports.map(
      (each) =>
        `exports.${each} = async (...args) => (await import('./${name}.js')).${each}(...args);\n`,
    );
    writeFileSync(join(outdir, `${name}.cjs`), lines.join(''));
  }
  return result;
}

/** The page of the console, for browsers: a script, a style sheet, and files as they are. */
async function buildPage() {
  // esbuild checks no types, and the types of browsers are kept from the other sources.
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', 'src/console/page'];
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  const page = join(outdir, 'console');
  const result = await build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    metafile: true,
    logLevel: 'warning',
    tsconfig: join(root, 'src/console/page/tsconfig.json'),
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryPoints: [
      { in: 'src/console/page/main.tsx', out: 'page' },
      { in: 'src/console/page/page.css', out: 'page' },
    ],
    outdir: page,
  });
  for (const name of ['index.html', 'icon.svg']) {
    copyFileSync(join(root, 'src/console/page', name), join(page, name));
  }
  return result;
}

rmSync(outdir, { recursive: true, force: true });
const results = await Promise.all([
  ...COMMANDS.map(buildLauncher),
  ...COMMANDS.map(buildCommand),
  build({
    ...COMMONJS,
    entryPoints: [
      { in: SERVER, out: 'server' },
      { in: WORKER, out: 'snapshot-worker' },
      ...APART.map((name) => ({ in: name, out: name })),
    ],
  }),
]);
results.push(await buildShells(), await buildPage());
rewriteDeclarations(join(root, 'dist', 'src'));
await buildCommonJs();
results.push(...(await bundlePackages()));
for (const name of COMMANDS) chmodSync(join(outdir, `${name}.cjs`), 0o755);
expectNoImports(results);
writeNotices(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
await writeCodeCaches(outdir);
