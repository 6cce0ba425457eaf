// conformance: runs against Apache's server, too.
/** A rolling restart of an ensemble of processes, by zkserver restart, while a client writes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/zookeeper.js';
import { taskJson } from '../commands/zkops/call-task.js';
import { makeSeats, type Seat, waitUntilServing } from '../support/apache/oracle-ensemble.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

const zkserver = (verb: string, { configFile }: Seat) =>
  execFileSync(process.execPath, [ZKSERVER, verb, configFile], { stdio: 'ignore' });

const pidOf = ({ dataDir }: Seat) => readFileSync(join(dataDir, 'zookeeper_server.pid'), 'utf8');

test('rolls three voters and an observer, and a client keeps its session and its writes', async () => {
  const seats = await makeSeats({ participants: 3, observers: 1 });
  const client = createClient({
    connectString: seats.all.map(({ connectString }) => connectString).join(),
  });
  try {
    for (const seat of seats.all) zkserver('start', seat);
    await Promise.all(seats.all.map(waitUntilServing));
    await client.connect();
    await client.create('/kept', Buffer.from('before'));
    const started = seats.all.map(pidOf);
    const home = join(seats.of(1).home, '..');
    const command = `${process.execPath} ${ZKSERVER} restart ${home}/{id}/zoo.cfg && echo {id} >> ${home}/order`;
    const servers = seats.all.map(({ connectString }) => connectString).join();
    const { exitCode, verdict, rows } = await taskJson(
      ['roll', '--servers', servers, '--command', command, '--resume', join(home, 'roll.json')],
      { ask: askWord },
    );
    assert.is(exitCode, 0, JSON.stringify(verdict));
    const roles = rows.map(({ role }) => role);
    assert.is(roles[0], 'observer');
    assert.is(rows.length, 4);
    assert.is(roles.at(-1), 'leader');
    const after = seats.all.map(pidOf);
    for (const [at, pid] of after.entries()) assert.is.not(pid, started[at]);
    await client.setData('/kept', Buffer.from('after'));
    assert.is(`${(await client.getData('/kept')).data}`, 'after');
  } finally {
    await client.close().catch(() => undefined);
    for (const seat of seats.all) zkserver('stop', seat);
    await seats.close();
  }
});

test.run();
