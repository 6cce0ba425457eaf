/** A profile that is protected or read-only forbids every change of its ensemble. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../../src/commands/zkops/index.js';
import { startBundled } from '../../support/bundled.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { withClient } from '../../support/peers/seat-client.js';

/** Operands and options without which a verb stops before it asks any member. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  roll: ['--command', 'false'],
  console: ['--allow-writes', '--listen', '127.0.0.1:0'],
  stmk: ['1'],
  'snapshot restore': ['no-such-file'],
  'backup restore-path': ['no-such-folder', '/app'],
};
const SERVICES = ['console', 'exporter'];

interface Named {
  readonly name: string;
  readonly hasYes: boolean;
}

async function verbsThat(isChange: boolean): Promise<Named[]> {
  const words = VERBS.filter(({ isReset = false }) => isReset === isChange).map(({ name }) => ({
    name,
    hasYes: isChange,
  }));
  const tasks: Named[] = [];
  for (const { name: entry, load } of TASKS) {
    for (const { name, changesEnsemble, hasMembers, options } of await load()) {
      if ((changesEnsemble !== false) !== isChange || (!isChange && !hasMembers)) continue;
      const hasYes = Object.hasOwn(options, 'yes');
      tasks.push({ name: name === entry ? name : `${entry} ${name}`, hasYes });
    }
  }
  return [...words, ...tasks];
}

interface World {
  run(verb: string, ...args: readonly string[]): Promise<{ status: number; error: string }>;
  /** What changes of znodes leave in the root, even those of ephemerals. */
  rootStat(): Promise<string>;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const folder = makeTempDir('guarded');
  const server = await startBundled();
  const { connectString: connect } = server;
  const file = join(folder.path, 'config.json');
  const profiles = {
    prot: { connect, protected: true },
    read: { connect, readonly: true },
  };
  writeFileSync(file, JSON.stringify({ profiles }));
  try {
    await use({
      rootStat: () =>
        withClient({ connectString: connect }, async (client) =>
          JSON.stringify(await client.exists('/'), (_, value: unknown) =>
            typeof value === 'bigint' ? `${value}` : value,
          ),
        ),
      run: async (verb, ...args) => {
        let error = '';
        const stop = new AbortController();
        const status = await main([...verb.split(' '), ...(NEEDED[verb] ?? []), ...args], {
          ask: askWord,
          env: { ZKSH_CONFIG: file },
          now: () => new Date(),
          terminal: { width: 80, isColor: false },
          writeOut: () => {
            if (SERVICES.includes(verb)) stop.abort();
          },
          writeError: (text) => {
            error += text;
          },
          render: () => '',
          runJob: (work) =>
            work({
              signal: stop.signal,
              progress: () => undefined,
              clearProgress: () => undefined,
            }),
        });
        return { status, error };
      },
    });
  } finally {
    await server.close();
    folder.remove();
  }
}

const CHANGING = [
  'stmk',
  'crst',
  'srst',
  'latency',
  'smoke',
  'roll',
  'move-leader',
  'console',
  'snapshot restore',
  'backup restore-path',
];

test('every verb that changes the ensemble refuses a protected and a read-only profile', async () => {
  const verbs = await verbsThat(true);
  assert.equal(verbs.map(({ name }) => name).toSorted(), CHANGING.toSorted());
  await withWorld(async ({ run, rootStat }) => {
    const before = await rootStat();
    for (const { name, hasYes } of verbs) {
      const yes = hasYes ? ['--yes'] : [];
      const prot = await run(name, '-P', 'prot', ...yes);
      assert.is(prot.status, 64, `${name}: ${prot.error}`);
      assert.match(prot.error, `zkops: ${name}: not allowed: prot is protected\n`);
      assert.match(prot.error, 'Add --allow-changes');
      const read = await run(name, '-P', 'read', '--allow-changes', ...yes);
      assert.is(read.status, 64, `${name}: ${read.error}`);
      assert.match(read.error, `zkops: ${name}: not allowed: read is read-only\n`);
    }
    assert.is(await rootStat(), before);
  });
});

test('--allow-changes allows them with a protected profile', async () => {
  await withWorld(async ({ run, rootStat }) => {
    for (const { name, hasYes } of await verbsThat(true)) {
      const { error } = await run(
        name,
        '-P',
        'prot',
        '--allow-changes',
        ...(hasYes ? ['--yes'] : []),
      );
      assert.not.match(error, 'not allowed', name);
    }
    const before = await rootStat();
    assert.is((await run('smoke', '-P', 'prot', '--allow-changes')).status, 0);
    assert.is.not(await rootStat(), before);
  });
});

test('the other verbs run with a protected profile, and change no znode', async () => {
  await withWorld(async ({ run, rootStat }) => {
    const before = await rootStat();
    for (const { name } of await verbsThat(false)) {
      const { error } = await run(name, '-P', 'prot');
      assert.not.match(error, 'not allowed', name);
    }
    for (const name of ['roll', 'snapshot restore', 'backup restore-path']) {
      const { error } = await run(name, '-P', 'prot', '--dry-run');
      assert.not.match(error, 'not allowed', name);
    }
    assert.is(await rootStat(), before);
  });
});

test.run();
