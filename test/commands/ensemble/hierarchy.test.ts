import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { membersOfConfig } from '../../../src/commands/ensemble/zoo-cfg-members.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { taskJson } from '../zkops/call-task.js';
import { askFakes, type FakeMembers, mntr, srvr } from '../zkops/probes/fake-members.js';

// The rule of QuorumHierarchical on the answers of fake members: member N has port N and sid N.

const NINE = ['group.1=1:2:3', 'group.2=4:5:6', 'group.3=7:8:9'];

interface World {
  readonly up: readonly number[];
  readonly groups?: readonly string[];
  /** Default: all of them. */
  readonly listed?: number;
  /** By the leader; undefined if mntr is not in the whitelist. */
  readonly synced?: number | undefined;
  readonly quorumSize?: number;
  readonly leaders?: readonly number[];
  /** Members with conf in their whitelist. */
  readonly tell?: readonly number[];
}

function serverLines(count: number): string[] {
  return Array.from(
    { length: count },
    (_, at) => `server.${at + 1}=10.0.0.1:2888:3888:participant;10.0.0.1:${at + 1}`,
  );
}

function confOf(sid: number, count: number, groups: readonly string[]): string {
  const lines = [...serverLines(count), ...groups, 'version=0'];
  return `serverId=${sid}\nmembership: \n${lines.join('\n')}`;
}

function membersOf(world: World): FakeMembers {
  const { up, groups = NINE, leaders = up.slice(0, 1), tell = up } = world;
  const count =
    groups.filter((line) => line.startsWith('group.')).flatMap((line) => line.split(':')).length ||
    9;
  const members: Record<number, Record<string, string> | 'dead'> = {};
  for (let sid = 1; sid <= (world.listed ?? count); sid++) members[sid] = 'dead';
  for (const sid of up.filter((one) => one in members)) {
    const mode = leaders.includes(sid) ? 'leader' : 'follower';
    const synced = 'synced' in world ? world.synced : up.length - leaders.length;
    members[sid] = {
      srvr: srvr(mode),
      ...(synced === undefined
        ? {}
        : {
            mntr: mntr({
              server_state: mode,
              quorum_size: world.quorumSize ?? count,
              ...(mode === 'leader' ? { synced_followers: synced } : {}),
            }),
          }),
      ...(tell.includes(sid) ? { conf: confOf(sid, count, groups) } : {}),
    };
  }
  return members;
}

async function gate(world: World, ...restart: readonly number[]) {
  const members = membersOf(world);
  const servers = Object.keys(members).map((port) => `10.0.0.1:${port}`);
  const target = restart.flatMap((port) => ['--restart', `10.0.0.1:${port}`]);
  const ask = askFakes(members);
  const { verdict, totals } = await taskJson(['gate', '--servers', servers.join(), ...target], {
    ask,
  });
  const [problem] = verdict.problems;
  return { level: verdict.level, code: problem?.code, summary: verdict.summary, totals };
}

for (const [name, world, level, summary] of [
  [
    'all are in sync',
    { up: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
    'healthy',
    '10.0.0.1:1 leads, 9 of 9 voters in sync, a majority in 3 of 3 groups',
  ],
  [
    'one more of a group may fail',
    { up: [1, 2, 3, 4, 5, 6] },
    'warning',
    'leads, 6 of 9 voters in sync, a majority in 2 of 3 groups',
  ],
  [
    'the smallest quorum, fewer than half of the voters',
    { up: [1, 2, 4, 5] },
    'warning',
    'leads, 4 of 9 voters in sync, a majority in 2 of 3 groups, no more may fail',
  ],
  [
    'two of a group must stay',
    { up: [1, 2, 4, 5, 6] },
    'warning',
    'leads, 5 of 9 voters in sync, a majority in 2 of 3 groups, 10.0.0.1:1, 10.0.0.1:2 must not fail',
  ],
  [
    'more than half of the voters, in one group',
    { up: [1, 2, 3, 4, 7] },
    'critical',
    'no quorum: 5 of 9 voters in sync, a majority in 1 of 3 groups (expected at least 2)',
  ],
  [
    'a weight decides',
    { up: [1, 4], groups: [...NINE, 'weight.1=3', 'weight.4=3'] },
    'warning',
    'leads, 2 of 9 voters in sync, a majority in 2 of 3 groups, no more may fail',
  ],
  [
    'a group of weight 0 does not count, nor do its members, which Apache counts',
    {
      up: [1, 2, 7, 8, 9],
      groups: [...NINE, ...[4, 5, 6, 7, 8, 9].map((sid) => `weight.${sid}=0`)],
      leaders: [2],
    },
    'warning',
    'leads, 2 of 3 voters in sync, a majority in 1 of 1 groups, no more may fail',
  ],
] as [string, World, string, string][]) {
  test(`a quorum of groups: ${name}`, async () => {
    const found = await gate(world);
    assert.is(found.level, level, found.summary);
    assert.ok(found.summary.endsWith(summary), found.summary);
  });
}

test('no quorum of groups is unknown if a member outside of the list may complete it', async () => {
  const found = await gate({ up: [1, 2, 4, 5], listed: 4 });
  assert.equal([found.level, found.code], ['unknown', 'quorum-unknown']);
  assert.match(found.summary, /leads, at least 3 of 9 voters in sync, a majority in 1 of 3 groups/);
  assert.match(
    found.summary,
    /cannot be judged: list all members \(not seen: server 3, 5, 6, 7, 8, 9\)/,
  );
  // The leader counts a follower that does not answer.
  assert.is((await gate({ up: [1, 2, 4], synced: 3 })).code, 'no-quorum');
});

test('a leader does not say which follower is not in sync', async () => {
  const spare = await gate({ up: [1, 2, 3, 4, 5, 6], synced: 4 });
  assert.equal([spare.level, spare.code], ['warning', 'not-in-sync']);
  assert.match(spare.summary, /10\.0\.0\.1:1 leads, only 5 of 9 voters in sync$/);
  const tight = await gate({ up: [1, 2, 4, 5], synced: 2 });
  assert.equal([tight.level, tight.code], ['unknown', 'quorum-unknown']);
  assert.match(tight.summary, /the leader does not say which 1 of its followers is not in sync/);
});

test('a member that does not report its sid cannot be judged', async () => {
  const world = { up: [1, 2, 4, 5], tell: [1, 2, 4] };
  const found = await gate(world);
  assert.equal([found.level, found.code], ['unknown', 'quorum-unknown']);
  assert.match(found.summary, /10\.0\.0\.1:5 does not report the id; add conf to 4lw/);
  const stop = await gate(world, 1);
  assert.is(stop.level, 'critical');
  assert.match(stop.summary, /must not be stopped: the quorum of groups cannot be judged/);
});

test('a zoo.cfg has the groups and sids of members that do not report them', async () => {
  const folder = makeTempDir('hierarchy');
  const config = join(folder.path, 'zoo.cfg');
  writeFileSync(config, [...serverLines(9), ...NINE, 'weight.4=2'].join('\n'));
  const gateOf = async (world: World) => {
    const ask = askFakes(membersOf(world));
    const { verdict } = await taskJson(['gate', '--config', config], { ask });
    return verdict.summary;
  };
  try {
    const up = [1, 2, 3, 4, 5, 6];
    assert.match(await gateOf({ up, tell: [] }), /6 of 9 voters in sync, a majority in 2 of 3/);
    assert.match(await gateOf({ up, tell: [1, 2, 3] }), /6 of 9 voters in sync, a majority in/);
    // The file may be older than the membership.
    assert.match(await gateOf({ up, groups: [], listed: 9 }), /6 of 9 voters in sync$/);
  } finally {
    folder.remove();
  }
  assert.is(membersOfConfig(serverLines(2).join('\n'))[0]?.seat, undefined);
});

for (const [name, world, safe, unsafe] of [
  ['all serve', { up: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, [1, 2, 9], []],
  ['one group is down', { up: [1, 2, 3, 4, 5, 6] }, [1, 6, 7], []],
  ['a majority of the voters would stay', { up: [1, 2, 4, 5, 7, 8] }, [1, 4, 8, 3], []],
  ['of two groups, one has no spare', { up: [1, 2, 4, 5, 6] }, [4, 5, 6, 7], [1, 2]],
  ['a group keeps no majority', { up: [1, 2, 4, 5, 6, 7] }, [4, 7], [1, 2]],
  ['the smallest quorum', { up: [1, 2, 4, 5] }, [3, 9], [1, 2, 4, 5]],
  [
    'a follower has no weight',
    { up: [1, 2, 3, 4, 5], groups: [...NINE, 'weight.3=0'], quorumSize: 8, synced: 3 },
    [3],
    [1, 2, 4, 5],
  ],
  ['the whitelists have no mntr', { up: [1, 2, 4, 5, 6], synced: undefined }, [4], [1]],
  ['a follower is not in sync', { up: [1, 2, 4, 5, 6], synced: 3 }, [], [4, 5]],
] as [string, World, number[], number[]][]) {
  test(`a restart and the groups: ${name}`, async () => {
    for (const sid of safe) {
      const { level, summary } = await gate(world, sid);
      assert.is(level, 'healthy', summary);
    }
    for (const sid of unsafe) {
      const { level, summary } = await gate(world, sid);
      assert.is(level, 'critical', summary);
    }
  });
}

test('the gate says which groups stay', async () => {
  const world = { up: [1, 2, 4, 5, 6] };
  assert.is(
    (await gate(world, 2)).summary,
    '10.0.0.1:2 must not be stopped: 4 of 9 voters stay in sync, a majority in 1 of 3 groups (expected at least 2)',
  );
  const { summary, totals } = await gate(world, 6);
  assert.is(
    summary,
    '10.0.0.1:6 may be stopped: 4 of 9 voters stay in sync, a majority in 2 of 3 groups',
  );
  assert.equal(totals, { voters: 9, inSync: 5, groups: 3, groupsInSync: 2, groupMajority: 2 });
});

test('of two leaders, one has lost its groups only if no quorum is so small', async () => {
  const two = { up: [1, 2, 3, 4, 5, 6], leaders: [1, 4] };
  assert.match(
    (await gate({ ...two, synced: 2 })).summary,
    /lost its followers and has not noticed/,
  );
  const open = await gate({ ...two, synced: 3 });
  assert.is(open.code, 'two-leaders');
  assert.match(
    open.summary,
    /their logs show which: with groups, the number of followers does not/,
  );
});

test.run();
