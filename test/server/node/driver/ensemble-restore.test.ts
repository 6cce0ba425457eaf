/** The AdminServer's restore in an ensemble: all members take the tree of the leader. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import type { EnsembleMember } from '../../../../src/server/main.js';
import { startBundledEnsemble } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';
import { ADMIN, type Answer, namesBelowRoot, restore, snapshot } from '../storage/restore-world.js';

async function withClient<T>(connectString: string, use: (client: ZooKeeper) => Promise<T>) {
  const client = new ZooKeeper({ connectString });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.close();
  }
}

async function mismatches(adminPort: number): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/commands/monitor`);
  return ((await response.json()) as Answer['json'])['digest_mismatches_count'];
}

test('a restore on the leader reaches every member, live and after a restart', async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const portOf = ({ sid }: { readonly sid: number }): number => ports[sid - 1] ?? 0;
  const ensemble = await startBundledEnsemble({
    configOf: (sid) => ({ ...ADMIN, 'admin.serverPort': `${portOf({ sid })}` }),
  });
  const { members } = ensemble;
  const leaderOf = async (): Promise<EnsembleMember> =>
    await waitFor('a leader', () => members.find(({ mode }) => mode === 'leader'));
  const names = (member: EnsembleMember) => withClient(member.connectString, namesBelowRoot);
  try {
    const leader = await leaderOf();
    const bytes = await withClient(ensemble.connectString, async (client) => {
      await client.create('/old', Buffer.from('1'));
      const taken = await snapshot(portOf(leader));
      await client.create('/late', Buffer.from('2'));
      await client.setData('/old', Buffer.from('3'));
      return taken;
    });
    for (const follower of members.filter((member) => member !== leader)) {
      const refused = await restore(portOf(follower), bytes);
      assert.is(refused.status, 409);
      assert.match(`${refused.json['error']}`, 'send the restore to the leader');
    }
    assert.ok((await names(leader)).includes('late'), 'a refused restore changes nothing');
    const answer = await restore(portOf(leader), bytes);
    assert.equal(answer.json['error'], null);
    assert.is(answer.status, 200);
    await ensemble.untilServing();
    for (const member of members) {
      assert.equal(await names(member), ['old', 'zookeeper'], `server ${member.sid}`);
    }
    await withClient(ensemble.connectString, async (client) => {
      assert.is(`${(await client.getData('/old')).data}`, '1');
      await client.create('/new');
      await client.sync('/');
    });
    for (const member of members) assert.is(await mismatches(portOf(member)), 0);
    for (const member of members) await member.close();
    await Promise.all(members.map((member) => member.start()));
    await ensemble.untilServing();
    for (const member of members) {
      assert.equal(await names(member), ['new', 'old', 'zookeeper'], `server ${member.sid}`);
    }
  } finally {
    await ensemble.close();
  }
});

test.run();
