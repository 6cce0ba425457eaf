// The packages that bundles contain: how they get the modules of Node.js, which modules of the
// library contain one, and their licenses.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The modules of the server that contain a package; compiled, below dist/src and dist/cjs. */
const CONTAINERS = ['server/node/log/bundled-pino.js', 'server/node/admin/bundled-prom-client.js'];

/**
 * An ES module has no `require`, which packages in CommonJS call for modules of Node.js. They get
 * them from Node.js itself, which also works after an application's bundler has joined the module.
 */
export const requireBuiltIns = {
  name: 'require modules of Node.js',
  setup({ onResolve, onLoad }) {
    const names = builtinModules.map((name) => name.replace('/', '\\/')).join('|');
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'node' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** Puts the packages of the server into both copies of the library, which needs no others. */
export function bundlePackages() {
  const make = (folder, format) =>
    build({
      absWorkingDir: root,
      entryPoints: CONTAINERS.map((name) => join('dist/src', name)),
      outbase: 'dist/src',
      outdir: folder,
      allowOverwrite: true,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format,
      metafile: true,
      logLevel: 'warning',
      plugins: [requireBuiltIns],
    });
  return Promise.all([make('dist/cjs', 'cjs'), make('dist/src', 'esm')]);
}

/** @throws Error for an import of a package that an installation would have to bring */
export function expectNoImports(results) {
  const found = results.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ imports }) => imports),
  );
  const paths = found.filter(({ external, path }) => external && !path.startsWith('.'));
  const packages = paths.map(({ path }) => path).filter((path) => !isBuiltin(path));
  if (packages.length > 0) throw new Error(`not bundled: ${packages.join(', ')}`);
}

/** We may ship the code of other authors only with its license. */
export function writeNotices(inputs) {
  const folders = new Set(
    inputs.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    // Apache's license also asks for the file NOTICE.
    const notices = readdirSync(join(root, folder)).filter((found) => /^notice/i.test(found));
    const files = [licenseFile(folder, name), ...notices.map((found) => join(root, folder, found))];
    const parts = files.map((file) => readFileSync(file, 'utf8').trim());
    return `${[`${name} ${version}`, ...parts].join('\n\n')}\n`;
  });
  const notices = texts.join(`\n${'-'.repeat(72)}\n\n`);
  writeFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES'), notices);
}

/** A package without the file has it only in its repository, from where scripts/licenses has it. */
function licenseFile(folder, name) {
  const own = readdirSync(join(root, folder)).find((found) => /^licen[cs]e/i.test(found));
  const kept = join(root, 'scripts/licenses', `${name}.txt`);
  if (own === undefined && !existsSync(kept)) {
    throw new Error(`${folder} has no license file to copy: put it into ${kept}`);
  }
  return own === undefined ? kept : join(root, folder, own);
}
