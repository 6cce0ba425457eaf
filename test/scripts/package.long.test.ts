import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { brokenLinks } from '../support/pages/links.js';
import { PROJECT_ROOT, readProjectFile } from '../support/tidy/source-file.js';

// The content of the tarball that npm publishes.

interface PackedFile {
  readonly path: string;
}

function packedFiles(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const text = execFileSync('npm', args, { cwd: PROJECT_ROOT, encoding: 'utf8' });
  const packed: unknown = JSON.parse(text);
  const [one] = Array.isArray(packed) ? packed : Object.values(Object(packed));
  const { files } = one as { readonly files: readonly PackedFile[] };
  return files.map(({ path }) => path);
}

test('the tarball has the programs and the manuals, and no source maps', () => {
  const files = packedFiles();
  for (const name of ['zksh', 'zkops', 'zkserver']) {
    assert.ok(files.includes(`dist/bin/${name}.cjs`), name);
  }
  assert.ok(files.includes('man/zksh.1'));
  assert.equal(
    files.filter((file) => file.endsWith('.map')),
    [],
  );
});

test('every link of a packed page leads to a packed file', () => {
  const files = packedFiles();
  const pages = files.filter((file) => file.endsWith('.md'));
  const has = (path: string) =>
    files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
  assert.ok(pages.length > 20);
  assert.equal(brokenLinks({ pages, has, read: readProjectFile }), []);
});

test('an installation brings no other package: the C client comes only when asked for', () => {
  const text = readProjectFile('package.json');
  const { dependencies, optionalDependencies, peerDependenciesMeta } = JSON.parse(text);
  assert.equal([dependencies, optionalDependencies], [undefined, undefined]);
  assert.is(peerDependenciesMeta.zookeeper.optional, true);
});

test('the tarball has the license of each package that it contains', () => {
  assert.ok(packedFiles().includes('dist/THIRD-PARTY-NOTICES'));
  const notices = readProjectFile('dist/THIRD-PARTY-NOTICES');
  // Of the commands, the server, the page of the console, and one without a license file.
  for (const name of ['execa', 'ink', 'react', 'yaml', 'pino', 'prom-client', 'preact']) {
    assert.match(notices, new RegExp(`^${name} \\d+\\.\\d`, 'm'));
  }
  assert.match(notices, /^yoga-layout .*\n\nMIT License\n\nCopyright \(c\) Facebook/m);
});

test.run();
