/** One key has one meaning in all JSON of zksh and zkops, so that one script may read both. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { VERBS } from '../../src/commands/zkops/index.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type KnownMeanings, Meanings } from '../support/pages/json-meanings.js';
import { runZkops } from '../support/terminal/run-zkops.js';
import { runZksh } from '../support/terminal/run-zksh.js';
import { readProjectFile } from '../support/tidy/source-file.js';
import { callTask } from './zkops/call-task.js';

const ZKSH = `create -p /app one; create /app/a two; create -e /app/b; create -s /app/s- x; create -t 9s /app/t
setquota -n 9 -b 999 /app; listquota /app; ls /; ls -l /app; ls -R /; get /app; get -s /app; stat /app
set /app '{"x":1}'; set -s /app '{"x":2}'; exists /app; json get /app x; json set /app x 3; getAcl /app; getAcl -s /app
acl show -R /app; acl add /app ip:127.0.0.1:r; acl remove /app ip:127.0.0.1; whoami; tree /; find /app; grep two /app
du /; hot /; who; who -s; who -w -R /; status; status --all; config; ping -c 1; version; history; getEphemerals /
getAllChildrenNumber /; mntr; srvr; conf; cons; wchs; envi; queue put /q x; queue ls /q; queue peek /q; queue take /q
create /l; create /g; lock --ls /l; group ls /g; txn 'create /t' 'set /t x' 'check /t'; touch /app; wait /app; sync /; cp -R /app /copy
set /copy other; diff /app /copy
sync-tree /app /copy; mv /copy /moved; deleteall --dry-run /app
deleteall --yes /moved; delete /t; alias; pwd; digest a:b; addauth digest a:b; time ls /; help ls`;

/** Words that list more with --all. */
const ALL = ['stat', 'mntr', 'cons', 'conf', 'envi', 'wchc', 'wchp', 'dump'];

const ZKOPS = `check --warn znode_count=1|latency --count 3|smoke|gate|ready|consistency|drift
clients|clients --by session|watches --by path|watches --by session|health --state STATE|health --state STATE`;

const FILES = `snap verify DIR|snap dump SNAP|snap dump SNAP --sessions|snap top DIR|snap diff SNAP NEWEST
log dump LOG|log verify LOG|log recover LOG|log truncate LOG --after 0x3 --dry-run|clean DIR --keep 1 --dry-run
snapshot status DIR|backup run DIR --to BACKUP --once|backup status BACKUP`;

const CELL = 'a row of zkops has one value for each column of CSV';
const WORD = 'a four-letter word lists what another command counts';
const KNOWN: KnownMeanings = {
  acl: ['array, text', CELL],
  children: ['array, number', `${CELL}: snap top counts children`],
  notes: ['array, text', `${CELL}: backup run explains each file`],
  connections: ['array, number', WORD],
  ephemerals: ['number, object', WORD],
  paths: ['array, number, object', WORD],
  sessions: ['array, number, object', WORD],
  servers: ['array, object, text', 'a list, the connect string of status, and the members in conf'],
  latencyMs: ['number, object', 'the mean of an interval; srvr has the minimum and maximum, too'],
  created: ['number, text', 'create names one path; sync-tree counts paths'],
  deleted: ['number, text', 'delete names one path; sync-tree counts paths'],
  data: ['array, text', 'diff has the two lengths instead of the data'],
  line: ['number, text', 'grep has a line number; an example in the help has a command line'],
  path: ['object, text', 'help has an argument with this name'],
  version: ['number, text', 'of a znode, and of a program'],
};

async function readZksh(server: string, meanings: Meanings): Promise<void> {
  for (const line of ZKSH.split('\n')) {
    const { code, stdout, stderr } = await runZksh([server, '-o', 'ndjson', '-c', line]);
    assert.is(code, line.includes('; diff ') ? 1 : 0, `${line}: ${stderr}`);
    for (const text of (stdout + stderr).trimEnd().split('\n')) {
      meanings.add(`zksh ${text.slice(0, 50)}`, JSON.parse(text));
    }
  }
}

async function readZkops(lines: string, names: Record<string, string>, meanings: Meanings) {
  for (const line of lines.split(/[|\n]/)) {
    const args = line.split(' ').map((word) => names[word] ?? word);
    const isVerb = VERBS.some(({ name }) => name === args[0]);
    if (names['SERVER'] !== undefined) args.push('--servers', names['SERVER']);
    args.push('-o', 'json');
    const run = isVerb ? await runZkops(args) : await callTask(args, { ask: askWord });
    assert.ok(run.exitCode < 4, `${line}: ${run.error}`);
    meanings.add(`zkops ${line}`, JSON.parse(run.out));
  }
}

test('a key has the same meaning wherever zksh and zkops print it', async () => {
  const home = makeTempDir('meanings');
  const dataDir = join(home.path, 'data');
  const folder = join(dataDir, 'version-2');
  const meanings = new Meanings();
  const config = { snapCount: '20', extendedTypesEnabled: 'true' };
  const server = await startBundled({ dataDir, config });
  try {
    await readZksh(server.connectString, meanings);
    const online = { SERVER: server.connectString, STATE: join(home.path, 'state') };
    const words = VERBS.map(({ name }) => name).filter(
      (name) => !/^([cs]rst|stmk|top)$/.test(name),
    );
    await readZkops([...words, ...ALL.map((name) => `${name} --all`)].join('|'), online, meanings);
    await readZkops(ZKOPS, online, meanings);
    await server.close();
    const fileAt = (prefix: string, at: number) =>
      join(
        folder,
        readdirSync(folder)
          .filter((name) => name.startsWith(prefix))
          .toSorted()
          .at(at) ?? '',
      );
    const files = {
      DIR: dataDir,
      SNAP: fileAt('snapshot.', 0),
      NEWEST: fileAt('snapshot.', -1),
      LOG: fileAt('log.', 0),
      BACKUP: join(home.path, 'backup'),
    };
    await readZkops(FILES, files, meanings);
    for (const name of ['zkops-1', 'zkops-rows-1']) {
      const path = `docs/${name}.schema.json`;
      meanings.addSchema(path, JSON.parse(readProjectFile(path)));
    }
    assert.equal(meanings.ambiguousBeside(KNOWN), []);
    assert.equal(meanings.plainAmong(KNOWN), []);
  } finally {
    await server.close();
    home.remove();
  }
});

test.run();
