/**
 * Intended differences from Apache's 3.8.0 and 3.9.3, each with its reason, the response of the
 * bundled server, and that of Apache's, unless the request does lasting harm to Apache's.
 */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isOracle39, ORACLE, oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { DELIBERATE } from './support/compare.js';
import { type Difference, KEPT, type Told } from './support/kept-differences.js';
import { exists, send } from './support/ops.js';
import { RawClient } from './support/raw-client.js';

const CONFIG = {
  tickTime: '2000',
  extendedTypesEnabled: 'true',
  enforceQuota: 'true',
  'znode.container.checkIntervalMs': '1000000000',
};
/**
 * The first test that needs it starts it, and the last one stops it, because a JVM takes a second
 * to start.
 */
const shared = new SharedByTests(() => startOracle({ config: CONFIG }));

/** A difference at the start of a server, without a request. */
const EMPTY_WITHOUT_AUTOCREATE: Told = {
  what: 'an empty folder with db.autocreate=false',
  from: '3.8 and 3.9',
  why: 'fails the start, unless zkserver init marked it, as a lost disk must not look like a new server; a standalone Apache server starts, and refuses every client',
};
const NO_AUTOCREATE = { 'db.autocreate': 'false' };

async function playOn(port: number, play: Difference['play'], path: string): Promise<string> {
  const [a, b] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
  try {
    return await play(a, b, path);
  } finally {
    await Promise.all([a.drop(), b.drop()]);
  }
}

for (const [index, { what, why, play, ours }] of KEPT.entries()) {
  test(`ours: ${what}: ${ours} (${why})`, async () => {
    const bundled = await startBundled({ config: CONFIG });
    try {
      assert.is(await playOn(bundled.port, play, `/kept-${index}`), ours);
    } finally {
      await bundled.close();
    }
  });
}

for (const [index, { what, play, theirs, theirs39 = theirs }] of KEPT.entries()) {
  const expected = isOracle39 ? theirs39 : theirs;
  if (expected === undefined) continue;
  const work = shared.use(async ({ port }) => {
    assert.is(await playOn(port, play, `/kept-${index}`), expected);
  });
  oracleTest(`${ORACLE}: ${what}: ${expected}`, work);
}

test(`ours: ${EMPTY_WITHOUT_AUTOCREATE.what}: ${EMPTY_WITHOUT_AUTOCREATE.why}`, async () => {
  const home = makeTempDir('kept');
  try {
    const message = await startBundled({ dataDir: home.path, config: NO_AUTOCREATE }).then(
      (server) => server.close().then(() => 'serves'),
      (error: Error) => error.message,
    );
    assert.match(message, /empty \(expected data, as db\.autocreate is false\)/);
  } finally {
    home.remove();
  }
});

oracleTest(
  `${ORACLE}: ${EMPTY_WITHOUT_AUTOCREATE.what}: starts, and serves no client`,
  async () => {
    const oracle = await startOracle({ config: NO_AUTOCREATE });
    try {
      const client = await RawClient.connect(oracle.port);
      assert.is(await send(client, exists('/zookeeper', false)), 'closed');
      await client.drop();
    } finally {
      await oracle.close();
    }
  },
);

test('each intended difference names the releases whose responses differ', () => {
  for (const { what, from, ours, theirs, theirs39 = theirs } of KEPT) {
    // Without a response of Apache's, the request would do lasting harm there.
    if (theirs === undefined) continue;
    const differing = [['3.8', theirs] as const, ['3.9', theirs39] as const].flatMap(
      ([release, response]) => (response === ours ? [] : [release]),
    );
    assert.is(from, differing.join(' and '), what);
  }
});

test('every excuse of the random requests is an intended difference', () => {
  for (const { what } of DELIBERATE)
    assert.ok(
      KEPT.some((kept) => kept.what === what),
      what,
    );
});

test('zkserver(8) lists exactly the intended differences', () => {
  const page = readFileSync(new URL('../../../man/zkserver.8', import.meta.url), 'utf8');
  const [, section = ''] = /^\.SH DIFFERENCES$([\s\S]*?)^\.SH /m.exec(page) ?? [];
  const listed = [...section.matchAll(/^\.IP \\\(bu 2\n(.*)\n(.*)$/gm)];
  const plain = (text = '') => text.replaceAll('\\-', '-');
  assert.equal(
    listed.map(([, what, why]) => `${plain(what)} ${plain(why)}`),
    [...KEPT, EMPTY_WITHOUT_AUTOCREATE].map(({ what, from, why }) => `${what} (${from}): ${why}.`),
  );
});

test.run();
