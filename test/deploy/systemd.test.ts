/** The units in deploy/systemd, as systemd's own checker reads them. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { programPath } from '../support/machine/program-path.js';
import { ANALYZE, systemdTest } from '../support/machine/systemd.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

const UNITS = 'deploy/systemd';
const units = readdirSync(UNITS);

systemdTest('systemd-analyze verify finds no fault in any unit', () => {
  const { path, remove } = makeTempDir('units');
  try {
    programPath(path);
    for (const unit of units) {
      // The programs and manuals of an installed package are elsewhere here.
      const text = readFileSync(join(UNITS, unit), 'utf8')
        .replaceAll('/usr/bin/zk', `${path}/bin/zk`)
        .replace(/^Documentation=.*\n/m, '');
      writeFileSync(join(path, unit), text);
    }
    const files = units.map((unit) => join(path, unit));
    const { status, stderr } = spawnSync(ANALYZE, ['verify', ...files], { encoding: 'utf8' });
    assert.is(stderr, '');
    assert.is(status, 0);
    writeFileSync(join(path, 'bad.service'), '[Service]\nType=notfy\nExecStart=nothing\n');
    const bad = spawnSync(ANALYZE, ['verify', join(path, 'bad.service')], { encoding: 'utf8' });
    assert.match(bad.stderr, 'notfy');
  } finally {
    remove();
  }
});

systemdTest('each service is closed to all that it does not need', () => {
  for (const unit of units.filter((name) => name.endsWith('.service'))) {
    const args = ['security', '--offline=true', '--threshold=20', join(UNITS, unit)];
    const { status, stdout, stderr } = spawnSync(ANALYZE, args, { encoding: 'utf8' });
    assert.is(status, 0, `${unit}: ${stdout.trim().split('\n').at(-1)}${stderr}`);
  }
});

test('an exporter is not restarted after a bad call or hosts file', () => {
  const text = readFileSync(join(UNITS, 'zkops-exporter.service'), 'utf8');
  assert.match(text, /^RestartPreventExitStatus=64 65$/m);
});

test('a server is not restarted after an error that an operator must correct', () => {
  const text = readFileSync(join(UNITS, 'zkserver.service'), 'utf8');
  assert.match(text, /^Type=notify\nNotifyAccess=all$/m);
  assert.match(text, /^RestartPreventExitStatus=3 4 64$/m);
});

test.run();
