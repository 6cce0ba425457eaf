import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { download } from '../../../../src/commands/zkops/s3/download.js';
import { readManifest } from '../../../../src/commands/zkops/s3/manifest.js';
import { Mirror } from '../../../../src/commands/zkops/s3/mirror.js';
import { ObjectStore } from '../../../../src/commands/zkops/s3/object-store.js';
import { parseS3, s3SettingsOf } from '../../../../src/commands/zkops/s3/s3-place.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import {
  ACCESS_KEY,
  type S3Server,
  SECRET_KEY,
  startS3,
} from '../../../support/peers/s3-server.js';
import { waitFor } from '../../../support/wait-for.js';

const PLACE = parseS3('s3://bucket/one');
const MANIFEST = 'bucket/one/zkops-backup.json';

interface World {
  readonly s3: S3Server;
  readonly store: ObjectStore;
  readonly file: (name: string, spool?: string) => string;
  readonly open: (spool?: string, nowMs?: number) => Promise<Mirror>;
  /** What a reader gets, by name. */
  readonly restored: () => Promise<Readonly<Record<string, string>>>;
}

async function withSpool(use: (world: World) => Promise<void>): Promise<void> {
  const s3 = await startS3();
  const home = makeTempDir('mirror');
  const { signal } = new AbortController();
  const settings = s3SettingsOf(PLACE, {
    AWS_ENDPOINT_URL: `${s3.url}/`,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    AWS_SESSION_TOKEN: 'a-token',
  });
  const store = new ObjectStore(PLACE, settings, signal);
  const progress = () => undefined;
  const file = (name: string, spool = 'spool') => join(home.path, spool, 'version-2', name);
  const times = { paceMs: 0, renewMs: 60_000, pauseMs: 5 };
  const open: World['open'] = async (name = 'spool', nowMs = 0) => {
    const path = join(home.path, name);
    mkdirSync(join(path, 'version-2'), { recursive: true });
    const spool = { path, files: join(path, 'version-2'), staging: join(path, 'in'), marker: 'm' };
    const now = () => new Date(nowMs);
    return Mirror.open(store, spool, await readManifest(store), { now, signal, progress, times });
  };
  const restored: World['restored'] = async () => {
    const found = await readManifest(store);
    if (found === undefined) throw new Error('no manifest');
    const files = join(home.path, 'read');
    mkdirSync(files, { recursive: true });
    const places = { files, staging: join(home.path, 'reading') };
    const { damage } = await download(store, found, places, progress);
    assert.equal(damage, []);
    return Object.fromEntries(
      readdirSync(files).map((name) => [name, readFileSync(join(files, name), 'latin1')]),
    );
  };
  try {
    await use({ s3, store, file, open, restored });
  } finally {
    await s3.close();
    home.remove();
  }
}

test('a log that grows becomes few objects', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    let text = '';
    for (let at = 0; at < 100; at++) {
      text += `line ${at}\n`;
      writeFileSync(file('log.1'), text);
      await mirror.flush();
    }
    assert.equal(await restored(), { 'log.1': text });
    assert.ok(s3.objects.size < 40, `${s3.objects.size} objects`);
    await mirror.close();
  }));

test('a file of many parts is whole, or not named', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    writeFileSync(file('snapshot.0'), Buffer.alloc(40 * 1024 * 1024, 'abc'));
    writeFileSync(file('log.1'), 'log');
    while (![...s3.objects.keys()].some((key) => key.includes('snapshot.0/'))) await mirror.step();
    assert.equal(await restored(), {});
    await mirror.flush();
    const found = await restored();
    assert.equal([found['snapshot.0']?.length, found['log.1']], [40 * 1024 * 1024, 'log']);
  }));

test('bytes cut or removed in the spool leave the bucket', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    for (const [name, text] of [
      ['snapshot.0', 'old'],
      ['log.1', 'one'],
      ['log.5', 'five'],
    ] as const) {
      writeFileSync(file(name), text);
      await mirror.flush();
    }
    appendFileSync(file('log.5'), ' and more');
    await mirror.flush();
    truncateSync(file('log.5'), 4);
    appendFileSync(file('log.5'), ' but other');
    rmSync(file('log.1'));
    await mirror.release(['log.1', 'log.5']);
    await mirror.flush();
    assert.equal(await restored(), { 'snapshot.0': 'old', 'log.5': 'five but other' });
    assert.is(s3.objects.size, 4, [...s3.objects.keys()].join());
  }));

const LOSSES: [what: string, lose: (file: World['file']) => void, reason: string][] = [
  ['the oldest file is missing', (file) => rmSync(file('snapshot.0')), 'snapshot.0: is missing'],
  ['the newest log is missing', (file) => rmSync(file('log.5')), 'log.5: is missing'],
  [
    'all are missing',
    (file) => {
      for (const name of readdirSync(file('.'))) rmSync(file(name));
    },
    'snapshot.0: is missing',
  ],
  ['a file is shorter', (file) => truncateSync(file('log.1'), 2), 'log.1: is shorter now'],
  ['the newest log is empty', (file) => truncateSync(file('log.5'), 0), 'log.5: is shorter now'],
];

for (const [what, lose, reason] of LOSSES) {
  test(`what the spool folder lost stays in the bucket, and comes back: ${what}`, () =>
    withSpool(async ({ s3, file, open, restored }) => {
      const mirror = await open();
      const texts = { 'snapshot.0': 'old', 'log.1': 'one', 'log.5': 'five' };
      for (const [name, text] of Object.entries(texts)) writeFileSync(file(name), text);
      await mirror.flush();
      const keys = [...s3.objects.keys()];
      lose(file);
      let why = '';
      await mirror.flush().catch((error) => {
        why = error.message;
      });
      assert.match(why, reason);
      await mirror.close();
      assert.equal([...s3.objects.keys()], keys);
      const next = await open();
      await next.flush();
      await next.close();
      assert.equal(await restored(), texts);
      for (const [name, text] of Object.entries(texts)) {
        assert.is(readFileSync(file(name), 'latin1'), text);
      }
    }));
}

test('nothing old leaves a bucket that lacks a part, until it has the part again', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    for (const name of ['snapshot.0', 'log.1', 'snapshot.5']) writeFileSync(file(name), name);
    await mirror.flush();
    const keyOf = (name: string) => [...s3.objects.keys()].find((key) => key.includes(name)) ?? '';
    s3.objects.delete(keyOf('snapshot.5'));
    let atFirst: number | undefined;
    s3.faultOf = (method) => {
      if (method === 'DELETE') atFirst ??= s3.objects.size;
      return undefined;
    };
    rmSync(file('snapshot.0'));
    rmSync(file('log.1'));
    await mirror.release(['snapshot.0', 'log.1']);
    await mirror.flush();
    assert.equal(await restored(), { 'snapshot.5': 'snapshot.5' });
    assert.is(atFirst, 4, 'all parts and the manifest, before the first one goes');
  }));

test('an older file with other bytes than in the bucket is refused, and stays there', () =>
  withSpool(async ({ s3, file, open }) => {
    const mirror = await open();
    writeFileSync(file('log.1'), 'one');
    writeFileSync(file('log.5'), 'five');
    await mirror.flush();
    await mirror.close();
    const keys = [...s3.objects.keys()];
    writeFileSync(file('log.1'), 'xx');
    let why = '';
    await open().catch((error) => {
      why = error.message;
    });
    assert.match(why, 'log.1: is another one than in the bucket');
    assert.equal([...s3.objects.keys()], keys);
  }));

test('parts of a backup whose manifest is lost are kept', () =>
  withSpool(async ({ s3, file, open }) => {
    const mirror = await open();
    writeFileSync(file('log.1'), 'one');
    await mirror.flush();
    await mirror.close();
    s3.objects.delete(MANIFEST);
    const keys = [...s3.objects.keys()];
    for (const spool of ['spool', 'second']) {
      let why = '';
      await open(spool).catch((error) => {
        why = error.message;
      });
      assert.match(why, 'zkops-backup.json is missing');
    }
    assert.equal([...s3.objects.keys()], keys);
  }));

test('a store that fails is reported, and gets all of it later', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    for (const fault of [503, 'reset', 403] as const) {
      s3.faultOf = () => fault;
      writeFileSync(file('log.1'), `before ${fault}`.padEnd(fault === 'reset' ? 30 : 40));
      await mirror.release(['log.1']);
      await waitFor('the problem', async () => {
        await mirror.step();
        return mirror.problem;
      });
      assert.match(mirror.problem ?? '', 's3://bucket/one: cannot');
      s3.faultOf = () => undefined;
      await waitFor('the log in the bucket', async () => {
        await mirror.step();
        return (await restored())['log.1']?.startsWith(`before ${fault}`);
      });
      assert.is(mirror.problem, undefined);
    }
  }));

test('a store that is away for a while gets all of it later', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    await s3.close();
    writeFileSync(file('log.1'), 'text');
    await waitFor('the problem', async () => {
      await mirror.step();
      return mirror.problem;
    });
    assert.match(mirror.problem ?? '', 'cannot reach the store: ECONNREFUSED');
    await s3.listen(s3.port);
    await mirror.flush();
    assert.equal(await restored(), { 'log.1': 'text' });
  }));

test('a lost answer does not look like a second writer', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const mirror = await open();
    writeFileSync(file('log.1'), 'text');
    const lost: string[] = [];
    s3.faultOf = (method, path) => {
      if (method !== 'PUT' || lost.includes(path)) return undefined;
      lost.push(path);
      return 'lost';
    };
    await mirror.flush();
    assert.ok(lost.includes(MANIFEST));
    assert.equal(await restored(), { 'log.1': 'text' });
  }));

for (const hasConditions of [true, false]) {
  const which = hasConditions ? 'with' : 'without';
  test(`a second writer stops the first one in a store ${which} conditions`, () =>
    withSpool(async ({ s3, file, open, restored }) => {
      s3.hasConditions = hasConditions;
      const first = await open();
      writeFileSync(file('log.1'), 'one');
      await first.flush();
      let refused = '';
      await open('second').catch((error) => {
        refused = error.message;
      });
      assert.match(refused, 'another backup writes to it');
      // The lease has expired.
      const second = await open('second', 61_000);
      writeFileSync(file('log.1', 'second'), 'one and two');
      await second.flush();
      writeFileSync(file('log.1'), 'one or three');
      let stopped = '';
      await first.flush().catch((error) => {
        stopped = error.message;
      });
      assert.match(stopped, 'another backup continued it: process');
      await first.close();
      assert.equal(await restored(), { 'log.1': 'one and two' });
      await second.flush();
    }));
}

test('an interrupted load of a spool folder continues', () =>
  withSpool(async ({ s3, file, open, restored }) => {
    const first = await open();
    writeFileSync(file('snapshot.0'), 'snapshot');
    writeFileSync(file('log.1'), 'log');
    await first.flush();
    await first.close();
    s3.faultOf = (_, path) => (path.includes('log.1') ? 403 : undefined);
    let why = '';
    await open('second').catch((error) => {
      why = error.message;
    });
    assert.match(why, 'cannot read log.1/0-');
    s3.faultOf = () => undefined;
    const second = await open('second');
    writeFileSync(file('log.2', 'second'), 'next');
    await second.flush();
    assert.equal(await restored(), { 'snapshot.0': 'snapshot', 'log.1': 'log', 'log.2': 'next' });
  }));

test('a reader that finds parts removed reads the newer manifest', () =>
  withSpool(async ({ s3, store, file, open }) => {
    const mirror = await open();
    writeFileSync(file('log.1'), 'old');
    await mirror.flush();
    const old = await readManifest(store);
    writeFileSync(file('log.1'), 'new text');
    await mirror.release(['log.1']);
    await mirror.flush();
    assert.is([...s3.objects.keys()].filter((key) => key.includes('log.1')).length, 1);
    if (old === undefined) throw new Error('no manifest');
    const home = makeTempDir('reader');
    try {
      const places = { files: home.path, staging: join(home.path, 'in') };
      const { damage, manifest } = await download(store, old, places, () => undefined);
      assert.equal(damage, []);
      assert.ok(manifest.generation > old.manifest.generation);
    } finally {
      home.remove();
    }
  }));

test('a spool folder of another target is refused', () =>
  withSpool(async ({ file, open, s3 }) => {
    const mirror = await open();
    writeFileSync(file('log.1'), 'one');
    await mirror.flush();
    await mirror.close();
    const link = join(file('..'), 'zkops-backup-s3.json');
    writeFileSync(link, '{"schema":"zkops-backup-spool/1","target":"s3://other/x"}');
    let why = '';
    await open().catch((error) => {
      why = error.message;
    });
    assert.match(why, 'is the spool folder of s3://other/x');
    rmSync(link);
    await open().catch((error) => {
      why = error.message;
    });
    assert.match(why, 'has another backup than s3://bucket/one');
    assert.ok(s3.objects.has(MANIFEST));
  }));

test.run();
