/** The Debian package, with a small script in place of the executable. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { debTest } from '../support/apache/dpkg.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.is(status, 0, `${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

debTest('the package has the programs, manuals, completions, units, and guides', () => {
  const { path, remove } = makeTempDir('deb');
  try {
    const executable = join(path, 'zk');
    writeFileSync(executable, '#!/bin/sh\necho "$(basename "$0") $*"\n');
    chmodSync(executable, 0o755);
    run(process.execPath, ['scripts/deb.mjs', executable, path]);
    const [deb = ''] = readdirSync(path).filter((name) => name.endsWith('.deb'));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.is(run('dpkg-deb', ['-f', join(path, deb), 'Version']), `${version}\n`);
    const root = join(path, 'root');
    run('dpkg-deb', ['-x', join(path, deb), root]);
    for (const name of ['zksh', 'zkops', 'zkserver']) {
      assert.is(run(join(root, 'usr/bin', name), ['--help']), `${name} --help\n`);
    }
    for (const file of [
      'usr/share/man/man1/zkops.1.gz',
      'usr/share/man/man8/zkserver.8.gz',
      'usr/share/bash-completion/completions/zksh',
      'usr/share/bash-completion/completions/zkops',
      'usr/share/zsh/vendor-completions/_zkserver',
      'usr/lib/systemd/system/zookeeper.service',
      'usr/share/doc/zksh/docs/runbook.md',
      'usr/share/doc/zksh/deploy/grafana/zookeeper.json',
    ]) {
      assert.ok(existsSync(join(root, file)), file);
    }
    // The units run the programs where the package puts them.
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/zookeeper.service'), 'utf8');
    const [, program = ''] = /^ExecStart=(\S+)/m.exec(unit) ?? [];
    assert.ok(existsSync(join(root, program)), program);
    const scripts = join(path, 'control');
    run('dpkg-deb', ['-e', join(path, deb), scripts]);
    run('sh', ['-n', join(scripts, 'postinst')]);
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
