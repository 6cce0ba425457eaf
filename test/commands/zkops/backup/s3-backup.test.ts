import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildLog } from '../../../support/bytes/zk-files.js';
import { freePort } from '../../../support/machine/free-port.js';
import { ACCESS_KEY, SECRET_KEY } from '../../../support/peers/s3-server.js';
import { waitFor } from '../../../support/wait-for.js';
import { callTask } from '../call-task.js';
import { makeSnapshot } from '../files/make-snapshot.js';
import { credentials, entries, entry, TARGET, VALUE, withAws, withS3 } from './s3-world.js';

const MANIFEST = 'bucket/zk/one/zkops-backup.json';

const temporaries = () => readdirSync(tmpdir()).filter((name) => name.startsWith('zkops-backup-'));

test('a backup in a bucket continues, and restores to a moment', () =>
  withS3(async ({ s3, home, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    const first = await run();
    assert.is(first.exitCode, 0, first.error);
    put('log.1', buildLog(entries(1, 5), 4096));
    put('log.6', buildLog(entries(6, 7), 4096));
    assert.match((await run()).out, '0 snapshots and 4 txns added, up to txn 0x7');
    const puts = s3.requests.length;
    assert.match((await run()).out, '0 txns added');
    const again = s3.requests.slice(puts).filter((each) => /^PUT .*\/(log|snapshot)/.test(each));
    assert.equal(again, [], 'no part is written twice');
    const status = await call('status', [TARGET]);
    assert.is(status.exitCode, 0, status.error);
    assert.match(status.out, 'moments from 0x0 to 0x7');
    const to = join(home, 'restored');
    const restored = await call('restore', [TARGET, '--at', '0x6', '--to', to]);
    // These txns have no digests.
    assert.is(restored.exitCode, 1, restored.error);
    assert.is((await callTask(['log', 'verify', to])).exitCode, 0);
    assert.ok(readdirSync(join(to, 'version-2')).includes('log.1'));
    assert.equal(temporaries(), [], 'no temporary folder stays');
  }));

test('a new spool folder is filled from the bucket', () =>
  withS3(async ({ home, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run();
    rmSync(join(home, 'spool'), { recursive: true });
    put('log.1', buildLog(entries(1, 9), 4096));
    const next = await run('--spool', join(home, 'other'));
    assert.match(next.out, '0 snapshots and 6 txns added, up to txn 0x9', next.error);
    assert.match((await call('status', [join(home, 'other')])).out, 'from 0x0 to 0x9');
    assert.match((await call('status', [TARGET])).out, 'from 0x0 to 0x9');
  }));

test('txns that the member removed leave the bucket, too', () =>
  withS3(async ({ put, run, call }) => {
    put('log.1', buildLog(entries(1, 6), 4096));
    await run();
    put('log.1', buildLog([...entries(1, 4), entry(5n, 'other')], 4096));
    assert.match((await run()).out, '2 txns removed');
    assert.match((await call('status', [TARGET])).out, 'to 0x5');
  }));

test('a crash that cut the spool folder leaves the bucket whole', () =>
  withS3(async ({ home, put, run, call }) => {
    put('log.1', buildLog(entries(1, 4), 4096));
    await run();
    const log = join(home, 'spool', 'version-2', 'log.1');
    truncateSync(log, readFileSync(log).length - 9);
    put('log.1', buildLog(entries(1, 6), 4096));
    assert.match((await run()).out, '2 txns added, up to txn 0x6');
    const status = await call('status', [TARGET]);
    assert.is(status.exitCode, 0, status.out);
    assert.match(status.out, 'from 0x0 to 0x6');
  }));

test('an encrypted backup needs its key, and no object has plain data', () =>
  withS3(async ({ s3, home, put, run, call }) => {
    const file = join(home, 'key');
    writeFileSync(file, Buffer.alloc(32, 7).toString('hex'), { mode: 0o600 });
    const key = ['--key-file', file];
    put('log.1', buildLog(entries(1, 3), 4096));
    assert.is((await run(...key)).exitCode, 0);
    put('log.1', buildLog([...entries(1, 2), entry(3n, 'other')], 4096));
    assert.match((await run(...key)).out, '1 txn removed');
    assert.ok(s3.objects.size > 2);
    for (const [name, bytes] of s3.objects) {
      assert.not.ok(bytes.includes(VALUE) || bytes.includes('zookeeper/quota'), name);
    }
    assert.match((await call('status', [TARGET, ...key])).out, 'from 0x0 to 0x3');
    const dry = await call('restore', [TARGET, '--dry-run', ...key]);
    assert.is(dry.exitCode, 1, dry.error);
    const spool = ['--spool', join(home, 'new')];
    for (const refused of [
      await run(...spool),
      await call('status', [TARGET]),
      await call('restore', [TARGET, '--dry-run']),
      await call('restore-path', [TARGET, '/app', '--dry-run', '--servers', '127.0.0.1:1']),
    ]) {
      assert.is(refused.exitCode, 3);
      assert.match(
        refused.error,
        /s3:\/\/bucket\/zk\/one: the backup is encrypted\n {2}Name its key/,
      );
    }
    assert.is((await run(...spool, ...key)).exitCode, 0);
  }));

test('a key for a plain backup is refused', () =>
  withS3(async ({ home, run, call }) => {
    await run();
    const file = join(home, 'key');
    writeFileSync(file, Buffer.alloc(32, 7).toString('hex'), { mode: 0o600 });
    for (const { error } of [
      await run('--key-file', file),
      await call('status', [TARGET, '--key-file', file]),
    ]) {
      assert.match(error, 'the backup is not encrypted');
    }
  }));

test('damaged, short, and missing objects are found, and earlier moments stay', () =>
  withS3(async ({ s3, home, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run();
    put('log.1', buildLog(entries(1, 6), 4096));
    await run();
    const [, second = ''] = [...s3.objects.keys()].filter((key) => key.includes('/log.1/'));
    const whole = s3.objects.get(second) ?? Buffer.alloc(0);
    const flipped = Buffer.from(whole);
    flipped[60] = (flipped[60] ?? 0) ^ 1;
    for (const [bytes, why] of [
      [flipped, 'is damaged'],
      [whole.subarray(0, 20), 'is damaged'],
      [Buffer.concat([whole, whole]), 'is missing'],
      [undefined, 'is missing'],
    ] as const) {
      if (bytes === undefined) s3.objects.delete(second);
      else s3.objects.set(second, bytes);
      const status = await call('status', [TARGET]);
      assert.is(status.exitCode, 2, status.out);
      assert.match(status.out.replace(/\s+/g, ' '), `s3://${second}: ${why}`);
      const latest = await call('restore', [TARGET, '--dry-run']);
      assert.is(latest.exitCode, 3);
      assert.match(latest.error, `s3://${second}`);
      const early = await call('restore', [TARGET, '--at', '0x3', '--dry-run']);
      assert.match(early.out, '0x3', early.error);
      const next = await run('--spool', join(home, `spool${bytes?.length}`));
      assert.is(next.exitCode, 3);
      assert.match(next.error, 'the backup is damaged');
    }
    assert.equal(temporaries(), []);
  }));

test('a damaged manifest is refused', () =>
  withS3(async ({ s3, run, call }) => {
    await run();
    const whole = s3.objects.get(MANIFEST)?.toString() ?? '';
    for (const text of ['', '{}', whole.replace('"size":', '"size":1'), whole.slice(0, 90)]) {
      s3.objects.set(MANIFEST, Buffer.from(text));
      for (const { error, exitCode } of [await run(), await call('status', [TARGET])]) {
        assert.is(exitCode, 3);
        assert.match(error, 'zkops-backup.json: is damaged');
      }
    }
  }));

test('retention removes objects, too', () =>
  withS3(async ({ s3, member, put, remove, run, call }) => {
    const file = (name: string) => join(member, 'version-2', name);
    put('log.1', buildLog(entries(1, 5), 4096));
    const nodes = ['', '/zookeeper', '/zookeeper/quota', '/app'].map((path) => ({ path }));
    put('snapshot.3', makeSnapshot({ nodes, digestZxid: 3n }));
    // The clock of the tests is at 1970-01-01.
    for (const name of ['snapshot.0', 'snapshot.3']) {
      utimesSync(file(name), new Date(-200_000_000), new Date(-200_000_000));
    }
    await run();
    const has = (name: string) => [...s3.objects.keys()].some((key) => key.includes(`/${name}/`));
    assert.equal([has('snapshot.0'), has('snapshot.3')], [true, true]);
    remove('snapshot.0');
    assert.match((await run('--keep-time', '1d')).out, '1 old files removed');
    assert.equal([has('snapshot.0'), has('snapshot.3')], [false, true]);
    assert.match((await call('status', [TARGET])).out, 'moments from 0x3 to 0x5');
  }));

test('objects of a killed run that no manifest names are removed', () =>
  withS3(async ({ s3, member, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    await run();
    const left = `bucket/zk/one/log.1/0-${'a'.repeat(16)}`;
    s3.objects.set(left, Buffer.from('left'));
    s3.objects.set('bucket/zk/one/mine.txt', Buffer.from('not ours'));
    const snapshot = readFileSync(join(member, 'version-2', 'snapshot.0'));
    put('snapshot.3', snapshot);
    put('log.4', buildLog(entries(4, 5), 4096));
    await run();
    assert.not.ok(s3.objects.has(left));
    assert.ok(s3.objects.has('bucket/zk/one/mine.txt'));
    const named = JSON.parse(s3.objects.get(MANIFEST)?.toString() ?? '').manifest.files;
    const parts = named.flatMap(({ parts: each }: { parts: unknown[] }) => each);
    const kept = [...s3.objects.keys()].filter((key) => /\/(log|snapshot)\./.test(key));
    assert.is(kept.length, parts.length);
    assert.match((await call('status', [TARGET])).out, 'to 0x5');
  }));

test('two backups of one target are refused', () =>
  withS3(async ({ s3, home, member, put, run, call }) => {
    put('log.1', buildLog(entries(1, 3), 4096));
    const stop = new AbortController();
    const service = call('run', [member, '--to', TARGET, '--spool', join(home, 'spool')], {
      signal: stop.signal,
    });
    const manifest = () => s3.objects.get(MANIFEST)?.toString() ?? '';
    await waitFor('the first txns in the bucket', () => manifest().includes('log.1'));
    const second = await run('--spool', join(home, 'second'));
    assert.is(second.exitCode, 3);
    assert.match(second.error, /another backup writes to it: process \d+ on .*\n {2}Stop that one/);
    stop.abort();
    assert.is((await service).exitCode, 0, (await service).error);
    assert.match(manifest(), '"untilMs":0');
    assert.is((await run('--spool', join(home, 'second'))).exitCode, 0);
    const stale = await run();
    assert.is(stale.exitCode, 3);
    assert.match(
      stale.error,
      /spool: is outdated: another spool folder continued s3.*\n {2}Choose an empty folder/,
    );
  }));

test('wrong calls and stores are refused by name, and no error has a secret', () =>
  withS3(async ({ s3, home, member, call }) => {
    const spool = ['--spool', join(home, 'spool')];
    const to = (target: string, ...args: string[]) =>
      call('run', [member, '--once', '--to', target, ...args]);
    assert.match((await to(TARGET)).error, 'expected --spool FOLDER');
    assert.match((await to(join(home, 'folder'), ...spool)).error, 'expected --to s3://');
    for (const bad of ['s3://', 's3:bucket', 's3://UPPER/x', 's3://a..b/x', 's3://bucket/../x']) {
      const { error, exitCode } = await to(bad, ...spool);
      assert.is(exitCode, 64, bad);
      assert.match(error, 'invalid place');
    }
    const absent = await to('s3://absent/x', ...spool);
    assert.match(absent.error, /NoSuchBucket \(HTTP status 404\)\n {2}Create the bucket/);
    assert.match((await call('status', ['s3://bucket/none'])).error, 'has no backup');
    assert.match((await to(TARGET, '--spool', member)).error, 'is not empty, and has no backup');
    const good = credentials(s3);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    await withAws({ ...good, AWS_ENDPOINT_URL_S3: nobody }, async () => {
      const { error, exitCode } = await to(TARGET, ...spool);
      assert.is(exitCode, 3);
      assert.match(error, /cannot reach the store: ECONNREFUSED\n.*Check AWS_ENDPOINT_URL_S3/);
    });
    for (const [values, why] of [
      [{ ...good, AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, 'SignatureDoesNotMatch'],
      [{ ...good, AWS_ACCESS_KEY_ID: 'AKIDWRONG' }, 'InvalidAccessKeyId'],
      [{ ...good, AWS_SESSION_TOKEN: 'the-token', AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, 'Match'],
      [{ AWS_ENDPOINT_URL_S3: s3.url }, 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY\n'],
      [{}, 'AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY\n'],
      [{ ...good, AWS_ENDPOINT_URL_S3: 'http://me:wrong-secret@x' }, 'invalid endpoint'],
      [{ ...good, AWS_SESSION_TOKEN: 'the-token\nx' }, 'AWS_SESSION_TOKEN: invalid value'],
      [{ ...good, AWS_SECRET_ACCESS_KEY: 'wrong-secret\n' }, 'invalid value'],
      [{ ...good, AWS_ENDPOINT_URL_S3: 'ftp://x' }, 'invalid endpoint'],
    ] as const) {
      await withAws(values, async () => {
        for (const { error, exitCode } of [
          await to(TARGET, ...spool),
          await call('status', [TARGET]),
        ]) {
          assert.is(exitCode, 3, error);
          assert.match(error, why);
          for (const secret of [SECRET_KEY, ACCESS_KEY, 'wrong-secret', 'the-token']) {
            assert.not.match(error, secret);
          }
        }
      });
    }
    mkdirSync(join(home, 'spool'), { recursive: true });
    assert.equal(
      readdirSync(join(home, 'spool')),
      [],
      'nothing was written before the store answered',
    );
  }));

test.run();
