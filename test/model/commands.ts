/** The commands of a model run, and their generators. */
import * as fc from 'fast-check';
import type { ACL, StatRecord } from '../../src/protocol/data.js';
import { KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import type {
  CheckStatOp,
  CreateIfNotExistsOp,
  CreateOp,
  DeleteOp,
  KeeperOp,
  MultiOp,
  PartOp,
  SetACLOp,
  SetDataOp,
} from './operations.js';

export const CLIENTS = 3;

export type Command =
  /** A client sends a request without waiting for earlier replies. */
  | { readonly kind: 'ask'; readonly client: number; readonly op: PartOp | SetACLOp | MultiOp }
  | { readonly kind: 'read'; readonly client: number; readonly path: string }
  /** This number of the oldest proposals become durable, one by one or at once. */
  | { readonly kind: 'commit'; readonly count: number; readonly isAtOnce: boolean }
  | { readonly kind: 'close' | 'leave' | 'connect'; readonly client: number }
  /** Time passes: sessions may expire, and znodes may be due for deletion. */
  | { readonly kind: 'wait'; readonly ms: number };

export interface Run {
  /** The last zxid of the initial tree. */
  readonly zxid: bigint;
  readonly commands: readonly Command[];
}

const PATHS = [
  '/a/e',
  '/a',
  '/a/e/x',
  '/a/b',
  '/a/b/c',
  '/max',
  '/max/n',
  '/neg/n',
  '/v',
  '/q/x',
  '/q/y',
  '/q',
];
const ODD_PATHS = [
  '/',
  '',
  'a',
  '/a/',
  '/a//b',
  '/a/..',
  '/zookeeper',
  '/zookeeper/config',
  '/zookeeper/quota/q/zookeeper_limits',
  '/zookeeper/quota/q/zookeeper_stats',
  '/zookeeper/quota/q',
];

function anyone(perms: number): ACL[] {
  return [{ perms, id: { scheme: 'world', id: 'anyone' } }];
}
const OPEN = anyone(31);
const ACLS: readonly (readonly ACL[])[] = [
  ...Array<ACL[]>(14).fill(OPEN),
  anyone(1),
  anyone(30),
  anyone(27),
  ...Array<ACL[]>(3).fill(anyone(23)),
  [],
  [{ perms: 31, id: { scheme: 'nobody-knows', id: 'x' } }],
];

const data = fc.constantFrom(null, '', 'x', '\u00ff\u0000', 'twelve bytes', 'count=1,bytes=1');
const acl = fc.constantFrom(...ACLS);
const version = fc.constantFrom(...Array<number>(8).fill(-1), 0, 1, 2, 2 ** 31 - 1, -(2 ** 31));
const ttl = fc.constantFrom(500n, 500n, 500n, 500n, 20_000n, 0n, -1n, 2n ** 40n);

type CreateKind = readonly [type: CreateOp['type'], flags: number];
const EPHEMERAL: CreateKind = [OpCode.create, 1];
const SEQUENTIAL: CreateKind = [OpCode.create, 2];
const CREATES: readonly CreateKind[] = [
  [OpCode.create, 0],
  EPHEMERAL,
  SEQUENTIAL,
  [OpCode.create2, 1],
  [OpCode.create2, 3],
  [OpCode.createContainer, 4],
  [OpCode.createTTL, 5],
  [OpCode.createTTL, 6],
  [OpCode.create, 4],
  [OpCode.create, 5],
  [OpCode.create, 9],
  [OpCode.createContainer, 1],
  [OpCode.createTTL, 0],
];

/** The focus of one kind of run. */
interface Theme {
  readonly paths: readonly string[];
  readonly creates: readonly CreateKind[];
  /** Most requests are of ClickHouse Keeper's dialect. */
  readonly isOfKeeper?: boolean;
  /** Commands in 100 that end or begin a session or a connection. */
  readonly ends: number;
}

const THEMES = {
  wide: { paths: [...PATHS, ...PATHS, ...PATHS, ...ODD_PATHS], creates: CREATES, ends: 10 },
  // One name that is reused at once while its owners change.
  owners: { paths: ['/a/e'], creates: [EPHEMERAL], ends: 25 },
  names: { paths: ['/a/e', '/a/b'], creates: [EPHEMERAL, EPHEMERAL, ...CREATES], ends: 20 },
  families: { paths: ['/a', '/a/b', '/a/b/c'], creates: CREATES, ends: 5 },
  // Numbers near their limits.
  numbers: {
    paths: ['/max/n', '/max', '/neg/n', '/v'],
    creates: [SEQUENTIAL, ...CREATES],
    ends: 5,
  },
  keeper: {
    paths: [
      '/a',
      '/a',
      '/a/b',
      '/a/b',
      '/a/b/c',
      '/a/b/d',
      '/a/e',
      '/q/x',
      ...ODD_PATHS.slice(0, 8),
    ],
    creates: CREATES,
    ends: 5,
    isOfKeeper: true,
  },
  quotas: { paths: ['/q', '/q/x', '/q/y', ...ODD_PATHS.slice(-3)], creates: CREATES, ends: 10 },
} as const satisfies Record<string, Theme>;
export type ThemeName = keyof typeof THEMES;
export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];

const ANY_STAT: StatRecord = {
  czxid: -1n,
  mzxid: -1n,
  ctime: -1n,
  mtime: -1n,
  version: -1,
  cversion: -1,
  aversion: -1,
  ephemeralOwner: -1n,
  dataLength: -1,
  numChildren: -1,
  pzxid: -1n,
};

/** With the parts that only a multi has. */
function keeperParts(path: fc.Arbitrary<string>, creates: readonly CreateKind[]) {
  const create: fc.Arbitrary<CreateIfNotExistsOp> = fc
    .record({ kind: fc.constantFrom(...creates), path, data, acl, ttl })
    .map(({ kind: [, flags], ...rest }) => ({
      type: KeeperOpCode.createIfNotExists,
      flags: flags > 4 ? 0 : flags,
      ...rest,
    }));
  const removal: fc.Arbitrary<KeeperOp> = fc.record({
    type: fc.constant(KeeperOpCode.removeRecursive),
    path,
    version: fc.constantFrom(0, 1, 1000, 1000, 1000),
  });
  const remove: fc.Arbitrary<KeeperOp> = fc.record({
    type: fc.constant(KeeperOpCode.tryRemove),
    path,
    version,
  });
  const notExists: fc.Arbitrary<KeeperOp> = fc.record({
    type: fc.constant(KeeperOpCode.checkNotExists),
    path,
    version,
  });
  const stat: fc.Arbitrary<CheckStatOp> = fc
    .record({ path, version, count: fc.constantFrom(-1, 0, 1, 2), isOwned: fc.boolean() })
    .map(({ count, isOwned, ...rest }) => ({
      type: KeeperOpCode.checkStat,
      ...rest,
      stat: { ...ANY_STAT, numChildren: count, ephemeralOwner: isOwned ? -1n : 0n },
    }));
  return { alone: [create, removal, remove], inMulti: [create, removal, remove, notExists, stat] };
}

function operations({
  paths,
  creates,
  isOfKeeper = false,
}: Theme): fc.Arbitrary<PartOp | SetACLOp | MultiOp> {
  const path = fc.constantFrom(...paths);
  const create: fc.Arbitrary<CreateOp> = fc
    .record({ kind: fc.constantFrom(...creates), path, data, acl, ttl })
    .map(({ kind: [type, flags], ...rest }) => ({ type, flags, ...rest }));
  const byVersion = (type: DeleteOp['type']): fc.Arbitrary<DeleteOp> =>
    fc.record({ type: fc.constant(type), path, version });
  const setData: fc.Arbitrary<SetDataOp> = fc.record({
    type: fc.constant(OpCode.setData),
    path,
    data,
    version,
  });
  const setACL: fc.Arbitrary<SetACLOp> = fc.record({
    type: fc.constant(OpCode.setACL),
    path,
    acl,
    version,
  });
  const remove = byVersion(OpCode.delete);
  const keeper = keeperParts(path, creates);
  const part = fc.oneof<fc.Arbitrary<PartOp>[]>(
    create,
    remove,
    setData,
    byVersion(OpCode.check),
    ...(isOfKeeper ? keeper.inMulti : []),
  );
  const multi: fc.Arbitrary<MultiOp> = fc.record({
    type: fc.constant(OpCode.multi),
    ops: fc.array(part, { maxLength: 5 }),
  });
  return fc.oneof(
    { weight: 4, arbitrary: create },
    { weight: 3, arbitrary: remove },
    { weight: 2, arbitrary: setData },
    { weight: 1, arbitrary: setACL },
    { weight: 2, arbitrary: multi },
    ...(isOfKeeper ? keeper.alone.map((arbitrary) => ({ weight: 3, arbitrary })) : []),
  );
}

function commandsOf(theme: Theme): fc.Arbitrary<Command[]> {
  const client = fc.nat(CLIENTS - 1);
  const ask = fc.record({ kind: fc.constant('ask' as const), client, op: operations(theme) });
  const read = fc.record({
    kind: fc.constant('read' as const),
    client,
    path: fc.constantFrom(...PATHS),
  });
  const commit = fc.record({
    kind: fc.constant('commit' as const),
    count: fc.integer({ min: 1, max: 6 }),
    isAtOnce: fc.boolean(),
  });
  const end = fc.record({
    kind: fc.constantFrom('close' as const, 'leave' as const, 'connect' as const),
    client,
  });
  const wait = fc.record({
    kind: fc.constant('wait' as const),
    ms: fc.constantFrom(1000, 1000, 1000, 12_000, 30_000),
  });
  const command = fc.oneof(
    { weight: 80 - theme.ends, arbitrary: ask },
    { weight: 5, arbitrary: read },
    { weight: 20, arbitrary: commit },
    { weight: theme.ends, arbitrary: end },
    { weight: 4, arbitrary: wait },
  );
  return fc.array(command, { minLength: 1, maxLength: 60, size: 'max' });
}

/** Far from the end of an epoch, or a few txns before it. */
const FAR = [0x10n, 0x10n, 0x5_0000_0010n];
const NEAR = [0xffff_fff0n, 0x5_ffff_fff4n];

/** Runs of every theme; runs of one theme stay far from the end of an epoch. */
export function makeRuns(theme?: ThemeName): fc.Arbitrary<Run> {
  const themes = theme === undefined ? THEME_NAMES : [theme];
  return fc.record({
    zxid: fc.constantFrom(...FAR, ...(theme === undefined ? NEAR : [])),
    commands: fc.oneof(...themes.map((name) => commandsOf(THEMES[name]))),
  });
}
