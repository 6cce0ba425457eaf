/** The engine of ClickHouse uses ClickHouse Keeper's dialect, and gets the answers of Apache's. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FIRST_KEEPER_OP, KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { makeSeats, waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { startRequestTap } from '../support/peers/request-tap.js';
import { withClient } from '../support/peers/seat-client.js';
import { waitFor } from '../support/wait-for.js';
import { applicationTest } from './application-test.js';
import { chdb, configOf, moduleIn } from './chdb.js';
import { programOf } from './workers.js';

const FOLDER = join(tmpdir(), 'zksh-chdb');
const QUERIES = [
  `CREATE TABLE map (k String, v UInt64) ENGINE = KeeperMap('/map') PRIMARY KEY k`,
  `INSERT INTO map VALUES ('a', 1), ('b', 2), ('c', 3)`,
  `ALTER TABLE map UPDATE v = v + 10 WHERE k != 'b'`,
  `DELETE FROM map WHERE k = 'c'`,
  'SELECT * FROM map ORDER BY k',
  `SELECT * FROM map WHERE k IN ('a', 'none')`,
  `CREATE TABLE parts (k String) ENGINE = ReplicatedMergeTree('/tables/parts', 'one') ORDER BY k`,
  'SHOW CREATE TABLE parts',
  'DROP TABLE parts SYNC',
  `CREATE TABLE parts (k String) ENGINE = ReplicatedMergeTree('/tables/parts', 'one') ORDER BY k`,
  'TRUNCATE TABLE map',
  'SELECT count() FROM map',
  'DROP TABLE map SYNC',
  'SHOW TABLES',
];

/** The answers of the engine, and the types of its requests. */
async function run({ ports, close }: Servers) {
  const home = makeTempDir('chdb');
  const taps = await Promise.all(ports.map((port) => startRequestTap(port)));
  try {
    writeFileSync(join(home.path, 'config.xml'), configOf(taps.map(({ port }) => port)));
    const args = [programOf('chdb-ask.mjs'), moduleIn(FOLDER), home.path, ...QUERIES];
    const engine = watchProcess(spawn(process.execPath, args));
    await engine.ended;
    return { answers: engine.output(), types: taps.flatMap(({ types }) => [...types]) };
  } finally {
    for (const tap of taps) await tap.close();
    await close();
    home.remove();
  }
}

type Dialect = 'on' | 'off';

interface Servers {
  readonly ports: readonly number[];
  close(): Promise<void>;
}

async function startAlone(keeperDialect: Dialect): Promise<Servers> {
  const server = await startBundled({ config: { keeperDialect } });
  return { ports: [server.port], close: () => server.close() };
}

/** Three members; with the dialect, all announce it. */
async function startMembers(keeperDialect: Dialect): Promise<Servers> {
  const seats = await makeSeats({ participants: 3, config: { keeperDialect } });
  try {
    for (const { sid } of seats.all) seats.startBundled(sid);
    for (const seat of seats.all) {
      await waitUntilServing(seat);
      await withClient(seat, (client) =>
        waitFor(`the flags on ${seat.sid}`, async () => {
          const stat = await client.exists('/keeper/feature_flags');
          return (stat !== null) === (keeperDialect === 'on');
        }),
      );
    }
  } catch (error) {
    await seats.close();
    throw error;
  }
  return { ports: seats.all.map(({ clientPort }) => clientPort), close: seats.close };
}

const answersTest = applicationTest(chdb(FOLDER));
for (const [name, start] of [
  ['a server', startAlone],
  ['three members', startMembers],
] as const) {
  answersTest(`ClickHouse gets the same answers of ${name} with its dialect`, async () => {
    const plain = await run(await start('off'));
    const isOfKeeper = (type: number) => type >= FIRST_KEEPER_OP || type === OpCode.multiRead;
    assert.equal(plain.types.filter(isOfKeeper), []);
    const dialect = await run(await start('on'));
    const { createIfNotExists, removeRecursive } = KeeperOpCode;
    for (const type of [OpCode.multiRead, createIfNotExists, removeRecursive]) {
      assert.ok(dialect.types.includes(type), `no request of type ${type}`);
    }
    assert.equal(JSON.parse(dialect.answers), JSON.parse(plain.answers));
    assert.is(JSON.parse(plain.answers)[4], 'a\t11\nb\t2\n');
  });
}

test.run();
