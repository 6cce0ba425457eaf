/** The replacement of a stopped server's files: all or nothing, and nothing is deleted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readWhole } from '../../../../src/server/node/storage/read-file.js';
import { replaceData } from '../../../../src/server/node/storage/replace-data.js';
import {
  CrashingRunner,
  DATA_DIR,
  emptyPlatter,
  LOG_DIR,
  makeDir,
  nothingPromised,
  recoverAll,
  StorageWorld,
} from '../../../support/bytes/crash-world.js';
import type { Platter } from '../../../support/bytes/platter.js';
import { AT_ONCE, type Call, PlatterFiles } from '../../../support/bytes/platter-files.js';
import { Random } from '../../../support/random.js';

const SEEDS = 2;
const MAX_CALLS = 2000;
const NEW = '/restored';
const STAMP = '20260131T120000.000Z';

interface Base {
  readonly platter: Platter;
  /** The bytes of each old file, by name. */
  readonly old: ReadonlyMap<string, Buffer>;
}

/** A server at zxid 6, and a folder with the files of zxid 3. */
async function makeBase(dataLogDir: string): Promise<Base> {
  const platter = emptyPlatter();
  const world = await StorageWorld.start(
    new PlatterFiles(platter, AT_ONCE),
    nothingPromised(),
    dataLogDir,
  );
  const folders = new Set([DATA_DIR, dataLogDir]);
  for (let zxid = 1n; zxid <= 3n; zxid++) await world.append(zxid, 300);
  platter.makeFolder(NEW);
  for (const folder of folders) {
    for (const [name, bytes] of platter.keptFiles(`${folder}/version-2`)) {
      if (!name.endsWith('Epoch')) platter.put(`${NEW}/${name}`, bytes);
    }
  }
  await world.snapshot();
  for (let zxid = 4n; zxid <= 6n; zxid++) await world.append(zxid, 300);
  await world.disk.close();
  const old = [...folders].flatMap((folder) => [...platter.keptFiles(`${folder}/version-2`)]);
  return { platter, old: new Map(old) };
}

async function replaceAll(
  platter: Platter,
  runner: ConstructorParameters<typeof PlatterFiles>[1],
  dataLogDir: string,
  from: readonly string[] = [NEW],
) {
  const dir = makeDir(new PlatterFiles(platter, runner), undefined, dataLogDir);
  await dir.makeFolders();
  return replaceData(dir, from, STAMP);
}

/** The last zxid of the tree, or the reason why no server starts. */
async function startOf(platter: Platter, dataLogDir: string): Promise<bigint | string> {
  const fs = new PlatterFiles(platter, AT_ONCE);
  try {
    const { database } = await recoverAll(fs, undefined, dataLogDir);
    return database.tree.lastProcessedZxid;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Old files that are neither in place nor aside. */
async function lostFiles({ platter, old }: Base, dataLogDir: string): Promise<string[]> {
  const fs = new PlatterFiles(platter, AT_ONCE);
  const found: Buffer[] = [];
  for (const folder of new Set([DATA_DIR, dataLogDir])) {
    for (const name of await fs.readdir(folder)) {
      if (!/^version-2($|\.before-)/.test(name)) continue;
      for (const file of await fs.readdir(`${folder}/${name}`)) {
        found.push(await readWhole(fs, `${folder}/${name}/${file}`));
      }
    }
  }
  return [...old].flatMap(([name, bytes]) =>
    found.some((one) => one.equals(bytes)) ? [] : [name],
  );
}

for (const dataLogDir of [DATA_DIR, LOG_DIR]) {
  const where = dataLogDir === DATA_DIR ? 'in one folder' : 'in two';

  test(`a load moves the old files aside and leaves the new tree, ${where}`, async () => {
    const base = await makeBase(dataLogDir);
    assert.is(await startOf(base.platter.clone(), dataLogDir), 6n);
    const { aside, loaded } = await replaceAll(base.platter, AT_ONCE, dataLogDir);
    const folders = [...new Set([DATA_DIR, dataLogDir])];
    assert.equal(
      aside,
      folders.map((folder) => `${folder}/version-2.before-${STAMP}`),
    );
    assert.is(loaded?.zxid, 3n);
    assert.equal(await lostFiles(base, dataLogDir), []);
    assert.is(await startOf(base.platter, dataLogDir), 3n);
    // The folders that it moved aside hold a whole state, too.
    const back = await replaceAll(base.platter, AT_ONCE, dataLogDir, aside);
    assert.is(back.loaded?.zxid, 6n);
  });

  test(`a crash at any call of a load leaves the old tree, the new one, or a refused start, ${where}`, async () => {
    const base = await makeBase(dataLogDir);
    const whole = new CrashingRunner(MAX_CALLS, new Random(0));
    await replaceAll(base.platter.clone(), whole, dataLogDir);
    const seen = new Set<string>();
    for (let crashAt = 1; crashAt <= whole.calls; crashAt++) {
      for (let seed = 0; seed < SEEDS; seed++) {
        const random = new Random(crashAt * 1000 + seed);
        const platter = base.platter.clone();
        const runner = new CrashingRunner(crashAt, random);
        await Promise.race([
          replaceAll(platter, runner, dataLogDir).then(() => undefined),
          runner.crashed,
        ]);
        const at = `a crash at call ${crashAt}, seed ${seed}`;
        assert.equal(await lostFiles({ ...base, platter }, dataLogDir), [], at);
        if (seed > 0) platter.losePower(random);
        const found = await startOf(platter.clone(), dataLogDir);
        const isRefused = typeof found === 'string' && /partly replaced/.test(found);
        assert.ok(isRefused || found === 6n || found === 3n, `${at}: ${found}`);
        seen.add(isRefused ? 'refused' : `${found}`);
        const again = await replaceAll(platter, AT_ONCE, dataLogDir);
        assert.is(again.loaded?.zxid, 3n, at);
        assert.is(await startOf(platter, dataLogDir), 3n, at);
      }
    }
    assert.equal([...seen].sort(), ['3', '6', 'refused']);
  });

  test(`a load keeps the highest accepted epoch, ${where}`, async () => {
    const accepted = `${DATA_DIR}/version-2/acceptedEpoch`;
    const epochsAfter = async (change: (platter: Platter) => void, crashAt = MAX_CALLS) => {
      const { platter } = await makeBase(dataLogDir);
      platter.put(accepted, Buffer.from('9'));
      change(platter);
      const runner = new CrashingRunner(crashAt, new Random(crashAt));
      const ended = replaceAll(platter, runner, dataLogDir).then(() => undefined);
      await Promise.race([ended, runner.crashed]);
      await replaceAll(platter, AT_ONCE, dataLogDir);
      await startOf(platter, dataLogDir);
      return {
        epoch: `${platter.keptFiles(`${DATA_DIR}/version-2`).get('acceptedEpoch')}`,
        runner,
      };
    };
    const { epoch, runner } = await epochsAfter(() => undefined);
    assert.is(epoch, '9');
    for (let crashAt = 1; crashAt <= runner.calls; crashAt++) {
      const { epoch: kept } = await epochsAfter(() => undefined, crashAt);
      assert.is(kept, '9', `a crash at call ${crashAt}`);
    }
    const put = (text: string) => (platter: Platter) =>
      platter.put(`${NEW}/acceptedEpoch`, Buffer.from(text));
    assert.is((await epochsAfter(put('3'))).epoch, '9', 'new files with a lower one');
    assert.is((await epochsAfter(put('12'))).epoch, '12', 'new files with a higher one');
  });

  test(`a load that fails leaves all files as before, ${where}`, async () => {
    const base = await makeBase(dataLogDir);
    let isEnding = false;
    for (let failAt = 1; !isEnding; failAt++) {
      const platter = base.platter.clone();
      let renames = 0;
      const runner = {
        submit: (call: Call) => {
          if (call.kind === 'rename' && ++renames === failAt) call.fail(new Error('EIO'));
          else call.run();
        },
        nextTurn: async () => undefined,
      };
      const result = await replaceAll(platter, runner, dataLogDir).catch((error: Error) => error);
      isEnding = renames < failAt;
      if (isEnding) continue;
      assert.match((result as Error).message, 'all are as before: EIO');
      assert.is(await startOf(platter, dataLogDir), 6n);
    }
  });

  test(`a load refuses files that a server would not load whole, ${where}`, async () => {
    const base = await makeBase(dataLogDir);
    const [log = ''] = [...base.platter.keptFiles(NEW).keys()].filter((name) => /^log/.test(name));
    const bytes = base.platter.keptFiles(NEW).get(log) ?? Buffer.alloc(0);
    const used = bytes.length - [...bytes].reverse().findIndex((byte) => byte !== 0);
    const damaged = Buffer.from(bytes);
    damaged.write('XXXXXXXX', used - 100);
    const cases: readonly [string, (platter: Platter) => Promise<unknown> | unknown, RegExp][] = [
      [
        'a log cut in a record',
        (p) => p.put(`${NEW}/${log}`, bytes.subarray(0, used - 40)),
        /not whole: .*incomplete/,
      ],
      ['a damaged log', (p) => p.put(`${NEW}/${log}`, damaged), /corrupt at offset/],
      [
        'logs alone',
        (p) => new PlatterFiles(p, AT_ONCE).unlink(`${NEW}/snapshot.0`),
        /no snapshot/,
      ],
    ];
    for (const [name, change, reason] of cases) {
      const platter = base.platter.clone();
      await change(platter);
      const result = await replaceAll(platter, AT_ONCE, dataLogDir).catch((error: Error) => error);
      assert.match((result as Error).message, reason, name);
      assert.is(await startOf(platter, dataLogDir), 6n, name);
    }
  });

  test(`set-aside leaves an empty server, ${where}`, async () => {
    const base = await makeBase(dataLogDir);
    const { loaded } = await replaceAll(base.platter, AT_ONCE, dataLogDir, []);
    assert.is(loaded, undefined);
    assert.equal(await lostFiles(base, dataLogDir), []);
    assert.is(await startOf(base.platter, dataLogDir), 0n);
  });
}

test.run();
