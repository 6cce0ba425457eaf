import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Database } from '../../../../src/server/persistence/replay.js';
import { Membership } from '../../../../src/server/quorum/membership/membership.js';
import { parseQuorumConfig } from '../../../../src/server/quorum/membership/quorum-config.js';

function configOf(sids: readonly number[], version: number): string {
  const lines = sids.map((sid) => `server.${sid}=h${sid}:1:2:participant;3`);
  return [...lines, `version=${version}`].join('\n');
}

/** Started with a file of `version`, and a log whose last reconfig has another. */
function started(version: number, logged: string): Membership {
  const config = parseQuorumConfig(configOf([1, 2, 3], version));
  if (typeof config === 'string') throw new Error(config);
  const membership = new Membership(config);
  const database = new Database({});
  database.finishSnapshot(0n);
  database.tree.setConfig(logged, 0n, 0);
  membership.restoreProposed(database.tree);
  return membership;
}

test('a reconfig that only the log has requires a quorum of both configurations', () => {
  const membership = started(5, configOf([3, 4, 5], 7));
  assert.is(membership.next?.version, 7n);
  assert.not(membership.isQuorum(new Set([1, 2])));
  assert.not(membership.isQuorum(new Set([4, 5])));
  assert.ok(membership.isQuorum(new Set([2, 3, 4])));
});

for (const [name, version, logged] of [
  ['the file is as new', 7, configOf([3, 4, 5], 7)],
  ['the file is newer', 9, configOf([3, 4, 5], 7)],
  ['the lines of zoo.cfg have no version', 0, configOf([3, 4, 5], 7)],
  ['the log has none', 5, ''],
] as const) {
  test(`only the file counts if ${name}`, () => {
    const membership = started(version, logged);
    assert.is(membership.next, null);
    assert.ok(membership.isQuorum(new Set([1, 2])));
  });
}

test.run();
