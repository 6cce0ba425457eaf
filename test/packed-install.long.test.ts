// The packed tarball, installed by npm: alone, and beside the packages from which applications
// migrate.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from './support/machine/temp-dir.js';
import { makePackedProject, runNpm } from './support/packed-project.js';

const BESIDE = [
  'zookeeper@4.10.1',
  'zookeeper@5.6.0',
  'zookeeper@6.2.3',
  'zookeeper@7.3.0',
  'node-zookeeper-client@1.1.3',
];

/** The paths of all packages that an installation into a new project has. Builds nothing. */
function install(tarball: string, others: readonly string[]): string[] {
  const { path, remove } = makeTempDir('installed');
  try {
    writeFileSync(join(path, 'package.json'), '{ "private": true }');
    runNpm(path, ['install', '--silent', tarball, ...others]);
    const listed = runNpm(path, ['ls', '--all', '--parseable']).trim().split('\n').slice(1);
    return listed.map((each) => each.slice(each.indexOf('node_modules') + 'node_modules/'.length));
  } finally {
    remove();
  }
}

test('an installation is one package, also beside the packages that it replaces', () => {
  const { tarball, remove } = makePackedProject();
  try {
    assert.equal(install(tarball, []), ['zksh']);
    for (const other of BESIDE) {
      const [name = ''] = other.split('@');
      const installed = install(tarball, [other]);
      assert.ok(installed.includes(name) && installed.includes('zksh'), installed.join());
    }
  } finally {
    remove();
  }
});

test.run();
