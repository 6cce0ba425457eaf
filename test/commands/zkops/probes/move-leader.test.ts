import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord, CreateModes, createClient } from '../../../../src/client/index.js';
import { startBundledEnsemble } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { callTask } from '../call-task.js';
import { askFakes, ensemble as fakes, serversOf } from './fake-members.js';

test('the named member leads, and sessions with their ephemerals stay', async () => {
  const home = makeTempDir('move-leader');
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const ensemble = await startBundledEnsemble({
    configOf: (sid) => ({
      'admin.enableServer': 'true',
      'admin.serverPort': `${ports[sid - 1]}`,
      '4lw.commands.whitelist': '*',
    }),
  });
  try {
    const leader = await waitFor('a leader', () =>
      ensemble.members.find(({ mode }) => mode === 'leader'),
    );
    const hosts = join(home.path, 'hosts');
    const lines = ensemble.members.map(
      ({ sid, connectString }) => `${connectString} admin=${ports[sid - 1]}\n`,
    );
    writeFileSync(hosts, lines.join(''));
    const move = (to: number, ...more: string[]) =>
      callTask(['move-leader', '--to', `${to}`, '--ensemble', hosts, ...more], { ask: askWord });

    const client = createClient({ connectString: ensemble.connectString });
    await client.connect();
    const { sessionId } = client;
    await client.create('/ephemeral', Buffer.alloc(0), { mode: CreateModes.EPHEMERAL });
    for (const next of ensemble.members.filter((member) => member !== leader)) {
      const { exitCode, out, error } = await move(next.sid);
      assert.is(exitCode, 0, error);
      assert.match(out, `HEALTHY: ${next.connectString} leads`);
      assert.is(next.mode, 'leader');
    }
    const [last] = ensemble.members.filter(({ mode }) => mode === 'leader');
    assert.is((await move(last?.sid ?? 0)).exitCode, 0, 'it leads already');
    const unknown = await move(9);
    assert.is(unknown.exitCode, 64);
    assert.match(unknown.error, '--to 9: no member of the list reports this id');
    const follower = ensemble.members.find(({ mode }) => mode === 'follower');
    const admin = `http://127.0.0.1:${ports[(follower?.sid ?? 0) - 1]}`;
    const refused = await move(leader.sid, '--admin', admin);
    assert.is(refused.exitCode, 3);
    assert.match(refused.error, 'status 409: this server does not lead');

    await client.setData('/ephemeral', Buffer.from('x'));
    assert.is(client.sessionId, sessionId);
    await client.close();
  } finally {
    await ensemble.close();
    home.remove();
  }
});

test('a member of Apache cannot lead next, and an ensemble without a leader is a fault', async () => {
  const conf = (sid: number) => ({ conf: `serverId=${sid}\n` });
  const [one, two, three] = Object.values(fakes(2)) as Record<string, string>[];
  const members = {
    1: { ...one, ...conf(1) },
    2: { ...two, ...conf(2) },
    3: { ...three, ...conf(3) },
  };
  const servers = serversOf(members);
  const move = (ask: ReturnType<typeof askFakes>) =>
    callTask(['move-leader', '--to', '2', '--servers', servers], { ask });
  assert.match((await move(askFakes(members))).error, 'runs Apache ZooKeeper, which takes no');
  const headless = askFakes({ 1: 'dead', 2: members[2], 3: members[3] });
  assert.match((await move(headless)).error, 'no member of the list leads');
  const unnamed = await callTask(['move-leader', '--servers', servers], { ask: headless });
  assert.match(unnamed.error, 'missing option (expected --to ID)');
});

test.run();
