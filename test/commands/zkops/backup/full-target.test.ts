/** A backup onto a real disk that fills up, and its continuation after space returns. It mounts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteBuilder, buildEntry, buildLog } from '../../../support/bytes/zk-files.js';
import { namespaceTest } from '../../../support/machine/namespaces.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask, taskJson } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';

const TXNS = 300;

function mount(...args: readonly string[]): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', ...args]).status === 0;
}

/** Each txn sets a kilobyte, so the log is larger than the disk. */
const LOG = buildLog(
  Array.from({ length: TXNS }, (_, at) => {
    const data = Buffer.alloc(1000, `${at}`);
    const body = new ByteBuilder()
      .string('/app')
      .buffer(data)
      .int(at + 1)
      .build();
    return buildEntry({ zxid: BigInt(at + 1), type: 5, body });
  }),
);

namespaceTest('a backup stops on a full disk, and continues after space returns', async () => {
  const home = makeTempDir('full');
  const [member, to] = [join(home.path, 'data'), join(home.path, 'kept')];
  const run = ['backup', 'run', member, '--to', to, '--once'];
  for (const folder of [join(member, 'version-2'), to]) mkdirSync(folder, { recursive: true });
  const nodes = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));
  writeFileSync(join(member, 'version-2', 'snapshot.0'), makeSnapshot({ nodes }));
  writeFileSync(join(member, 'version-2', 'log.1'), LOG);
  assert.ok(mount('-o', 'size=128k', 'disk', to));
  try {
    const full = await callTask(run);
    assert.is.not(full.exitCode, 0);
    assert.match(full.error, 'the disk is full');
    assert.match(full.error, 'run the same command again: it continues');
    const again = await callTask(run);
    assert.match(again.error, 'the disk is full');
    assert.ok(mount('-o', 'remount,size=16m', 'disk', to));
    assert.is((await callTask(run)).exitCode, 0);
    const status = await taskJson(['backup', 'status', to]);
    assert.is(status.exitCode, 0, status.verdict.summary);
    const { rows } = await taskJson(['backup', 'restore', to, '--at', 'latest', '--dry-run']);
    assert.equal([rows[0]?.['zxid'], rows[0]?.['txns']], [`0x${TXNS.toString(16)}`, TXNS]);
  } finally {
    spawnSync('umount', [to]);
    home.remove();
  }
});

test.run();
