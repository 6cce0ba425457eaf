// The steps of a smoke test. Each is a promise of ZooKeeper's that clients live by, held against
// real sessions; every znode is an ephemeral, so that nothing stays whatever happens.

import type { ZooKeeperClient } from '../../../client/client.js';
import { MultiError } from '../../../client/errors.js';
import { CreateModes } from '../../../protocol/create-mode.js';
import { NotSeenError } from './seen.js';
import type { MemberSession } from './sessions.js';
import { watchOnce } from './watch-once.js';

export interface SmokeWorld {
  readonly path: string;
  /** All writes go through this one. */
  readonly writer: MemberSession;
  readonly timeoutMs: number;
  /** Opens and closes a session of its own with the writer's member. */
  readonly openOther: () => Promise<{
    readonly client: ZooKeeperClient;
    readonly close: () => Promise<void>;
  }>;
}

/** What must hold on each member once the writer has done its part. */
export interface SmokeStep {
  readonly name: string;
  /** Before the write: arms a watch, say. Returns what is checked after it. */
  readonly prepare?: (member: MemberSession, world: SmokeWorld) => Promise<() => Promise<void>>;
  readonly write?: (world: SmokeWorld) => Promise<void>;
  /** On every member, behind a sync; may be asked again until it holds. */
  readonly check?: (member: MemberSession, world: SmokeWorld) => Promise<void>;
}

const FIRST = Buffer.from('first');
const SECOND = Buffer.from('second');

function expect(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new NotSeenError(sentence);
}

async function expectData(
  { client }: MemberSession,
  path: string,
  expected: Buffer,
  version: number,
): Promise<void> {
  await client.sync(path);
  const { data, stat } = await client.getData(path);
  const found = data?.toString() ?? 'none';
  expect(found === expected.toString(), `expected the data "${expected}", found "${found}"`);
  expect(stat.version === version, `expected version ${version}, found ${stat.version}`);
}

export const SMOKE_STEPS: readonly SmokeStep[] = [
  {
    name: 'create is seen, behind a sync',
    write: async ({ writer, path }) => {
      await writer.client.create(path, FIRST, { mode: CreateModes.EPHEMERAL });
    },
    check: (member, { path }) => expectData(member, path, FIRST, 0),
  },
  {
    name: 'a set fires a watch, and is seen',
    prepare: async ({ client }, { path, timeoutMs }) => {
      const watch = watchOnce('NodeDataChanged', timeoutMs);
      await client.getData(path, { watch: watch.watcher });
      return watch.fired;
    },
    write: async ({ writer, path }) => {
      await writer.client.setData(path, SECOND, 0);
    },
    check: (member, { path }) => expectData(member, path, SECOND, 1),
  },
  {
    name: 'a multi is done whole',
    write: async ({ writer, path }) => {
      await writer.client.multi([
        { op: 'check', path, version: 1 },
        { op: 'set', path, data: FIRST, version: 1 },
        { op: 'create', path: `${path}-multi`, options: { mode: CreateModes.EPHEMERAL } },
      ]);
    },
    check: async (member, { path }) => {
      await expectData(member, path, FIRST, 2);
      const made = await member.client.exists(`${path}-multi`);
      expect(made !== null, 'the znode that the multi created is not there');
    },
  },
  {
    name: 'a multi that fails does nothing',
    write: async ({ writer, path }) => {
      const failure = await writer.client
        .multi([
          { op: 'delete', path: `${path}-multi` },
          { op: 'check', path, version: 99 },
        ])
        .catch((error: unknown) => error);
      expect(failure instanceof MultiError, 'a check of a wrong version did not fail');
    },
    check: async ({ client }, { path }) => {
      await client.sync(path);
      const kept = await client.exists(`${path}-multi`);
      expect(kept !== null, 'a multi that failed deleted a znode');
    },
  },
  {
    name: 'a delete fires a watch, and is seen',
    prepare: async ({ client }, { path, timeoutMs }) => {
      const watch = watchOnce('NodeDeleted', timeoutMs);
      await client.exists(path, { watch: watch.watcher });
      return watch.fired;
    },
    write: async ({ writer, path }) => {
      await writer.client.delete(path, 2);
    },
    check: async ({ client }, { path }) => {
      await client.sync('/');
      expect((await client.exists(path)) === null, 'the znode is still there');
    },
  },
  {
    name: 'the ephemerals of a session go with it',
    write: async ({ openOther, path }) => {
      const other = await openOther();
      try {
        await other.client.create(`${path}-other`, null, { mode: CreateModes.EPHEMERAL });
      } finally {
        await other.close();
      }
    },
    check: async ({ client }, { path }) => {
      await client.sync('/');
      const left = await client.exists(`${path}-other`);
      expect(left === null, 'the ephemeral of a closed session is still there');
    },
  },
];
