import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/index.js';
import { type RunningEnsemble, startEnsemble } from '../../../../src/server/main.js';
import { waitFor } from '../../../support/wait-for.js';

/** Returns the value that one client of the member reads at the path, after a sync. */
async function readAt(connectString: string, path: string): Promise<string> {
  const client = createClient({ connectString });
  try {
    await client.connect();
    await client.sync('/');
    return `${(await client.getData(path)).data}`;
  } finally {
    await client.close();
  }
}

async function write(connectString: string, path: string, text: string): Promise<void> {
  const client = createClient({ connectString });
  try {
    await client.connect();
    await client.create(path, Buffer.from(text));
  } finally {
    await client.close();
  }
}

function memberOf({ members }: RunningEnsemble, mode: string) {
  const member = members.find((candidate) => candidate.mode === mode);
  if (member === undefined) throw new Error(`nobody is ${mode}`);
  return member;
}

test('participants and observers show the writes of any member', async () => {
  const ensemble = await startEnsemble({ size: 3, observers: 1 });
  try {
    const modes = ensemble.members.map(({ mode }) => mode).sort();
    assert.equal(modes, ['follower', 'follower', 'leader', 'observer']);
    assert.is(memberOf(ensemble, 'observer').role, 'observer');
    for (const { sid, connectString } of ensemble.members) {
      await write(connectString, `/by-${sid}`, `${sid}`);
      for (const other of ensemble.members) {
        assert.is(await readAt(other.connectString, `/by-${sid}`), `${sid}`);
      }
    }
  } finally {
    await ensemble.close();
  }
  assert.not.ok(existsSync(dirname(ensemble.members[0]?.dataDir ?? '/')));
});

test('a leader that ends gets a successor, and later returns and receives the new writes', async () => {
  const ensemble = await startEnsemble();
  try {
    const leader = memberOf(ensemble, 'leader');
    await write(leader.connectString, '/before', 'before');
    await leader.close();
    assert.is(leader.mode, undefined);
    const next = await waitFor('another leader', () =>
      ensemble.members.find((member) => member !== leader && member.mode === 'leader'),
    );
    await ensemble.untilServing();
    await write(next.connectString, '/after', 'after');
    await leader.start();
    await ensemble.untilServing();
    assert.is(leader.mode, 'follower');
    assert.is(await readAt(leader.connectString, '/before'), 'before');
    assert.is(await readAt(leader.connectString, '/after'), 'after');
  } finally {
    await ensemble.close();
  }
});

test('without a majority, no member serves; with one again, all serve the same data', async () => {
  const ensemble = await startEnsemble({ config: { syncLimit: '2' } });
  try {
    await write(ensemble.connectString, '/kept', 'kept');
    const [first, second, third] = ensemble.members;
    await first?.close();
    await second?.close();
    await waitFor('the third to give up', () => third?.mode === undefined);
    await first?.start();
    await ensemble.untilServing();
    assert.is(await readAt(third?.connectString ?? '', '/kept'), 'kept');
  } finally {
    await ensemble.close();
  }
});

test('an ensemble without members is refused', async () => {
  const refusal = await startEnsemble({ size: 0 }).catch((error: Error) => error);
  assert.match(`${refusal}`, /expected at least one participant/);
});

test.run();
