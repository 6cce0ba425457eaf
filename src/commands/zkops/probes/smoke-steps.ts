// The steps of a smoke test. Each step checks a guarantee of ZooKeeper with sessions. Every znode
// is ephemeral, so nothing remains.

import type { ZooKeeperClient } from '../../../client/base/client.js';
import { MultiError } from '../../../client/base/errors.js';
import { CreateModes } from '../../../protocol/create-mode.js';
import { NotSeenError } from './seen.js';
import type { MemberSession } from './sessions.js';
import { watchOnce } from './watch-once.js';

export interface SmokeWorld {
  readonly path: string;
  /** All writes use this session. */
  readonly writer: MemberSession;
  readonly timeoutMs: number;
  /** Opens and closes another session with the member of the writer. */
  readonly openOther: () => Promise<{
    readonly client: ZooKeeperClient;
    readonly close: () => Promise<void>;
  }>;
}

export interface SmokeStep {
  readonly name: string;
  /** Before the write, for example to set a watch. Its result is awaited after the write. */
  readonly prepare?: (member: MemberSession, world: SmokeWorld) => Promise<() => Promise<void>>;
  readonly write?: (world: SmokeWorld) => Promise<void>;
  /** On every member, after a sync. May repeat. */
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
  expect(found === expected.toString(), `data differs: "${found}" (expected "${expected}")`);
  expect(stat.version === version, `version differs: ${stat.version} (expected ${version})`);
}

export const SMOKE_STEPS: readonly SmokeStep[] = [
  {
    name: 'a create is visible after a sync',
    write: async ({ writer, path }) => {
      await writer.client.create(path, FIRST, { mode: CreateModes.EPHEMERAL });
    },
    check: (member, { path }) => expectData(member, path, FIRST, 0),
  },
  {
    name: 'a set fires a watch and is visible',
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
    name: 'a multi is applied as a whole',
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
      expect(made !== null, 'the znode that the multi created does not exist');
    },
  },
  {
    name: 'a failed multi changes nothing',
    write: async ({ writer, path }) => {
      const failure = await writer.client
        .multi([
          { op: 'delete', path: `${path}-multi` },
          { op: 'check', path, version: 99 },
        ])
        .catch((error: unknown) => error);
      expect(failure instanceof MultiError, 'a check of a wrong version succeeded');
    },
    check: async ({ client }, { path }) => {
      await client.sync(path);
      const kept = await client.exists(`${path}-multi`);
      expect(kept !== null, 'a failed multi deleted a znode');
    },
  },
  {
    name: 'a delete fires a watch and is visible',
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
      expect((await client.exists(path)) === null, 'the znode still exists');
    },
  },
  {
    name: 'closing a session deletes its ephemerals',
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
      expect(left === null, 'the ephemeral of a closed session still exists');
    },
  },
];
