import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entries, TARGET, withS3 } from '../commands/zkops/backup/s3-world.js';
import { buildLog } from '../support/bytes/zk-files.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { SECRET_KEY } from '../support/peers/s3-server.js';
import { waitFor } from '../support/wait-for.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));
const MANIFEST = 'bucket/zk/one/zkops-backup.json';

/** With the variables of this process, which `withS3` has set. */
function zkops(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [ZKOPS, 'backup', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

test('a killed backup continues at once with its spool folder', () =>
  withS3(async ({ s3, home, member, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    const spool = join(home, 'spool');
    const backup = watchProcess(zkops('run', member, '--to', TARGET, '--spool', spool));
    const manifest = () => s3.objects.get(MANIFEST)?.toString() ?? '';
    await waitFor('the first txns in the bucket', () => manifest().includes('log.1'));
    const line = readFileSync(`/proc/${backup.process.pid}/cmdline`, 'latin1');
    assert.not.match(line, SECRET_KEY);
    await backup.stop('SIGKILL');
    assert.not.match(manifest(), '"untilMs":0');
    assert.match((await run('--spool', join(home, 'other'))).error, 'another backup writes to it');
    put('log.1', buildLog(entries(1, 6), 4096));
    const next = await run();
    assert.match(next.out, '3 txns added, up to txn 0x6', next.error);
    assert.match((await call('status', [TARGET])).out, 'from 0x0 to 0x6');
  }));

test('a store that goes away is reported, and gets the txns when it returns', () =>
  withS3(async ({ s3, home, member, put, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    const spool = join(home, 'spool');
    const backup = watchProcess(
      zkops('run', member, '--to', TARGET, '--spool', spool, '--interval', '50'),
    );
    try {
      const manifest = () => s3.objects.get(MANIFEST)?.toString() ?? '';
      await waitFor('the first txns in the bucket', () => manifest().includes('log.1'));
      await s3.close();
      put('log.1', buildLog(entries(1, 9), 4096));
      await waitFor('the report', () => /cannot reach the\s+store/.test(backup.output()));
      await waitFor('the txns in the spool folder', async () =>
        /to 0x9/.test((await call('status', [spool])).out),
      );
      await s3.listen(s3.port);
      await waitFor('the txns in the bucket', async () =>
        /to 0x9/.test((await call('status', [TARGET])).out),
      );
      await waitFor('the second report', () => /receives the\s+backup again/.test(backup.output()));
    } finally {
      await backup.stop();
    }
  }));

test('a restore that a signal ends leaves no files', () =>
  withS3(async ({ s3, home, put, run }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run();
    s3.faultOf = (_, path) => (path.includes('log.1/') ? 'silence' : undefined);
    const restore = watchProcess(zkops('restore', TARGET, '--dry-run'));
    const temporaries = () => readdirSync(home).filter((name) => name.startsWith('zkops-backup-'));
    await waitFor('the request of the log', () =>
      s3.requests.some((each) => /^GET .*\/log\.1\//.test(each)),
    );
    const [folder = ''] = temporaries();
    assert.is(statSync(join(home, folder)).mode & 0o777, 0o700);
    await restore.stop('SIGTERM');
    assert.equal(temporaries(), []);
  }));

test.run();
