// Works with the engine of ClickHouse in this process, and prints a history: keys of a KeeperMap
// table are written, deleted, and counted up, and replicated tables are created and dropped.
// Arguments: MODULE HOSTS WHO FOLDER. MODULE is chdb, FOLDER has the config.xml.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [chdb, , who, folder] = process.argv.slice(2);
const { Session } = createRequire(import.meta.url)(chdb);
const session = new Session(join(folder, who), {
  connectionArgs: [`--config-file=${join(folder, 'config.xml')}`],
});
const PAUSE_MS = 20;
let isEnded = false;
createInterface(process.stdin).on('close', () => {
  isEnded = true;
});

const ask = async (text) => (await session.queryAsync(text, { format: 'TSV' })).text();

function say(op, fields) {
  const at = Number(process.hrtime.bigint()) / 1e6;
  process.stdout.write(`${JSON.stringify({ op, ...fields, at })}\n`);
}

async function attempt(op, fields, text) {
  let isSure = true;
  await ask(text).catch((error) => {
    isSure = false;
    say('error', { text: String(error.message).slice(0, 300) });
  });
  say(op, { ...fields, isSure });
}

const isTaken = (error) => {
  if (!error.message.includes('/clickhouse/sessions/')) throw error;
  return true;
};
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
async function keys() {
  for (let n = 0; !isEnded; n++) {
    const item = `${who}-${n}`;
    const key = { what: 'keys', item };
    await attempt('put', key, `INSERT INTO map VALUES ('${item}', 0)`);
    if (n % 3 === 0) await attempt('gone', key, `DELETE FROM map WHERE k = '${item}'`);
    const count = `ALTER TABLE map UPDATE v = v + 1 WHERE k = 'counter'`;
    await attempt('add', { what: 'counter' }, count);
    await pause();
  }
}

async function tables() {
  for (let n = 0; !isEnded; n++) {
    const item = `${who}_${n}`;
    const engine = `ReplicatedMergeTree('/tables/${item}', '${who}') ORDER BY k`;
    const table = { what: 'tables', item };
    await attempt('put', table, `CREATE TABLE ${item} (k String) ENGINE = ${engine}`);
    if (n % 2 === 0) await attempt('gone', table, `DROP TABLE ${item} SYNC`);
    await pause();
  }
}

const create = `CREATE TABLE IF NOT EXISTS map (k String, v UInt64)
  ENGINE = KeeperMap('/map') PRIMARY KEY k`;
// The session of an earlier process stays for its timeout.
while (await ask(create).then(() => false, isTaken)) await pause();
if (who === 'rest') {
  const rows = (await ask('SELECT k, v FROM map')).split('\n').filter(Boolean);
  for (const row of rows) {
    const [item, value] = row.split('\t');
    if (item === 'counter') say('value', { what: item, value: Number(value) });
    else say('done', { what: 'keys', item });
  }
  const count = Number(await ask('SELECT count() FROM map'));
  if (count !== rows.length) say('done', { what: 'keys', item: `count() ${count}` });
} else {
  await ask(`INSERT INTO map VALUES ('counter', 0)`);
  await Promise.all([keys(), tables()]);
  const left = (await ask('SHOW TABLES')).split('\n').filter((name) => name.startsWith(who));
  for (const item of left) say('done', { what: 'tables', item });
}
// An orderly exit would wait for the replicated tables, for minutes.
process.stdout.write('', () => process.kill(process.pid, 'SIGKILL'));
