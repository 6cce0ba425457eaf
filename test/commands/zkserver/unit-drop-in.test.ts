/** The drop-in that fits the unit to a zoo.cfg. systemd-booted.long.test.ts runs such a unit. */
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dropInFor, folderWarnings } from '../../../src/commands/zkserver/unit-drop-in.js';
import { parseConfig } from '../../../src/server/config/parse-config.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

function dropIn(file: string, text: string): string[] {
  const result = parseConfig(`clientPort=2181\n${text}`, { fileName: file });
  if ('errors' in result) throw new Error(result.errors[0]?.text);
  return dropInFor(file, result.config).split('\n').slice(1);
}

test('the unit waits for the disks of dataDir and dataLogDir, and may write them', () => {
  const lines = dropIn('/etc/zookeeper/conf/zoo.cfg', 'dataDir=/data/zk\ndataLogDir=/fast/zk\n');
  assert.equal(lines, [
    '[Unit]',
    'RequiresMountsFor=/data/zk /fast/zk',
    '',
    '[Service]',
    'ExecStart=',
    'ExecStart=/usr/bin/zkserver start-foreground /etc/zookeeper/conf/zoo.cfg',
    'ReadWritePaths=/data/zk /fast/zk',
    '',
  ]);
});

test('a folder in another one needs no entry', () => {
  const lines = dropIn('/etc/zoo.cfg', 'dataDir=/data\ndataLogDir=/data/log\n');
  assert.ok(lines.includes('ReadWritePaths=/data'));
});

test('a reconfig may write the folder of the members', () => {
  const lines = dropIn('/srv/zk/zoo.cfg', 'dataDir=/data\nreconfigEnabled=true\n');
  assert.ok(lines.includes('ReadWritePaths=/data /srv/zk'));
});

test('data in /tmp and in /home are not hidden from the unit', () => {
  assert.ok(dropIn('/etc/zoo.cfg', 'dataDir=/tmp/zookeeper\n').includes('PrivateTmp=false'));
  assert.ok(dropIn('/etc/zoo.cfg', 'dataDir=/home/zk\n').includes('ProtectHome=read-only'));
  assert.not.ok(dropIn('/etc/zoo.cfg', 'dataDir=/tmpdata\n').includes('PrivateTmp=false'));
});

test('data in a folder that a boot may empty has a warning', () => {
  assert.equal(folderWarnings(['/tmp/zookeeper', '/nowhere/tmp']), [
    '/tmp/zookeeper: a boot of the machine may empty it: move the data elsewhere',
  ]);
});

test('a folder must belong to the user that another drop-in names', () => {
  const { path, remove } = makeTempDir('unit');
  const before = process.env['PATH'];
  try {
    writeFileSync(join(path, 'systemctl'), '#!/bin/sh\necho "another"\n', { mode: 0o755 });
    process.env['PATH'] = `${path}${delimiter}${before}`;
    assert.match(folderWarnings(['/'])[0] ?? '', 'the unit runs as another');
  } finally {
    process.env['PATH'] = before;
    remove();
  }
});

test('names with blanks, specifiers, and variables stay names', () => {
  const lines = dropIn('/etc/a b/$x.cfg', 'dataDir=/data/100%\n');
  assert.ok(lines.includes('ReadWritePaths=/data/100%%'));
  assert.ok(lines.includes('ExecStart=/usr/bin/zkserver start-foreground "/etc/a b/$$x.cfg"'));
});

test('a relative folder is refused, because a unit has no folder to be relative to', () => {
  assert.throws(
    () => dropIn('zoo.cfg', 'dataDir=data\n'),
    /data: a unit needs an absolute dataDir/,
  );
});

test.run();
