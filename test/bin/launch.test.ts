import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeCacheFile, compileBundle } from '../../src/bin/compiled-bundle.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT, readProjectFile } from '../support/tidy/source-file.js';

// The commands as shipped: a launcher, a bundle, and its V8 code cache.

const { bin, exports, version } = JSON.parse(readProjectFile('package.json'));

function run(command: string, args: readonly string[], cwd = PROJECT_ROOT) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The package as a registry serves it, in a folder that cannot resolve other packages. */
function withPackage(use: (folder: string) => void): void {
  const home = makeTempDir('package');
  try {
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', home.path];
    const { status, stdout, stderr } = run('npm', pack);
    assert.is(status, 0, stderr);
    assert.is(run('tar', ['-xf', stdout.trim()], home.path).status, 0);
    use(join(home.path, 'package'));
  } finally {
    home.remove();
  }
}

test('V8 accepts the code cache of the build, and rejects it for another source', () => {
  for (const name of Object.keys(bin)) {
    const bundle = join(PROJECT_ROOT, 'dist', 'bin', `${name}-main.cjs`);
    const text = readFileSync(bundle, 'latin1');
    const codeCache = readFileSync(codeCacheFile(bundle));
    assert.is(compileBundle(bundle, text, codeCache).isFromCache, true, name);
    assert.is(compileBundle(bundle, `${text} `, codeCache).isFromCache, false, name);
  }
});

test('a line of a bundle maps back to its source', () => {
  const bundle = join(PROJECT_ROOT, 'dist', 'bin', 'zksh-main.cjs');
  const lines = readFileSync(bundle, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.startsWith('async function runZksh('));
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
  const entry = map.findEntry(line, 0);
  assert.match(
    'originalSource' in entry ? entry.originalSource : '',
    /src\/commands\/zksh\/zksh-main\.ts$/,
  );
});

test('the packed package runs elsewhere with a valid, a damaged, and no code cache', () => {
  withPackage((folder) => {
    const says = (name: string) => run(process.execPath, [join(folder, bin[name]), '--version']);
    for (const name of Object.keys(bin)) {
      const codeCache = codeCacheFile(join(folder, 'dist', 'bin', `${name}-main.cjs`));
      const whole = says(name);
      assert.equal({ ...whole, stdout: '' }, { status: 0, stdout: '', stderr: '' }, name);
      assert.ok(whole.stdout.includes(version), name);
      writeFileSync(codeCache, 'no code');
      assert.equal(says(name), whole, `${name}, damaged`);
      rmSync(codeCache);
      assert.equal(says(name), whole, `${name}, without`);
    }
    const zksh = join(folder, bin.zksh);
    const session = ['--embedded', '-c', 'create /a hello; get /a'];
    assert.equal(run(process.execPath, [zksh, ...session]), {
      status: 0,
      stdout: 'Created /a\nhello\n',
      stderr: '',
    });
    const entries = Object.keys(exports).map((entry) => `import 'zksh${entry.slice(1)}';`);
    const { status, stderr } = run(
      process.execPath,
      ['--input-type=module', '--eval', entries.join('')],
      folder,
    );
    assert.is(status, 0, stderr);
  });
});

test.run();
