/** The Debian package, with a small script in place of the executable. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { debTest } from '../support/apache/dpkg.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { brokenLinks } from '../support/pages/links.js';

/** A package whose programs print how they were called. */
function packed(path: string): string {
  const executable = join(path, 'zk');
  writeFileSync(executable, '#!/bin/sh\necho "$(basename "$0") $*"\n');
  chmodSync(executable, 0o755);
  run(process.execPath, ['scripts/deb.mjs', executable, path]);
  const [deb = ''] = readdirSync(path).filter((name) => name.endsWith('.deb'));
  return join(path, deb);
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.is(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

debTest('the package has the programs, manuals, completions, units, and guides', () => {
  const { path, remove } = makeTempDir('deb');
  try {
    const deb = packed(path);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.is(run('dpkg-deb', ['-f', deb, 'Version']), `${version}\n`);
    const root = join(path, 'root');
    run('dpkg-deb', ['-x', deb, root]);
    for (const name of ['zksh', 'zkops', 'zkserver']) {
      assert.is(run(join(root, 'usr/bin', name), ['--help']), `${name} --help\n`);
    }
    for (const file of [
      'usr/share/man/man1/zkops.1.gz',
      'usr/share/man/man8/zkserver.8.gz',
      'usr/share/bash-completion/completions/zksh',
      'usr/share/bash-completion/completions/zkops',
      'usr/share/zsh/vendor-completions/_zkserver',
      'usr/lib/systemd/system/zkserver.service',
      'usr/share/doc/zksh/docs/runbook.md',
      'usr/share/doc/zksh/deploy/grafana/zookeeper.json',
    ]) {
      assert.ok(existsSync(join(root, file)), file);
    }
    // The units run the programs where the package puts them.
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/zkserver.service'), 'utf8');
    const [, program = ''] = /^ExecStart=(\S+)/m.exec(unit) ?? [];
    assert.ok(existsSync(join(root, program)), program);
    const scripts = join(path, 'control');
    run('dpkg-deb', ['-e', deb, scripts]);
    for (const name of ['postinst', 'prerm', 'postrm']) run('sh', ['-n', join(scripts, name)]);
    const control = readFileSync(join(scripts, 'control'), 'utf8');
    assert.not.match(control, /^(Conflicts|Breaks|Replaces|Provides):/m);
  } finally {
    remove();
  }
});

debTest('every link of its pages leads to a file of the package', () => {
  const { path, remove } = makeTempDir('deb');
  try {
    const root = join(path, 'root');
    run('dpkg-deb', ['-x', packed(path), root]);
    const doc = join(root, 'usr/share/doc/zksh');
    const names = readdirSync(doc, { recursive: true, encoding: 'utf8' });
    const pages = names.filter((name) => name.endsWith('.md'));
    const has = (name: string) => existsSync(join(doc, name));
    assert.ok(pages.length > 20);
    assert.equal(
      brokenLinks({ pages, has, read: (name) => readFileSync(join(doc, name), 'utf8') }),
      [],
    );
  } finally {
    remove();
  }
});

debTest('without the executable, it names the command that makes it', () => {
  const { path, remove } = makeTempDir('deb');
  try {
    const args = ['scripts/deb.mjs', join(path, 'zk'), path];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.is(status, 1);
    assert.match(stderr, /zk: not found\nMake it first: npm run executable/);
  } finally {
    remove();
  }
});

test.run();
