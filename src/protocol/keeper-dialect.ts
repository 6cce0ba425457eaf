/**
 * What ClickHouse asks of a ClickHouse Keeper beyond Apache's protocol. Source of the numbers:
 * ZooKeeperConstants.h, KeeperFeatureFlags.h, and KeeperConstants.h of ClickHouse.
 */
import { bool, int, record, type Type, ustring } from '../jute/record.js';
import { StatRecord } from './data.js';

/** The request types of the dialect, with the names of Coordination::OpNum. */
export const KeeperOpCode = {
  filteredList: 500,
  checkNotExists: 501,
  createIfNotExists: 502,
  removeRecursive: 503,
  checkStat: 504,
  tryRemove: 505,
  filteredListWithStatsAndData: 506,
  listRecursive: 507,
} as const;

/** All request types of the dialect are at least this. */
export const FIRST_KEEPER_OP = KeeperOpCode.filteredList;

const byte: Type<number> = {
  name: 'byte',
  minSize: 1,
  write: (out, value) => out.writeByte(value),
  read: (input) => input.readByte(),
};

/** `listRequestType` is a ListRequestType. */
export const FilteredListRequest = record('FilteredListRequest', {
  path: ustring,
  watch: bool,
  listRequestType: byte,
});

/** `withStat` and `withData`: whether the answer has the Stat and the data of each child. */
export const FilteredListWithStatsAndDataRequest = record('FilteredListWithStatsAndDataRequest', {
  path: ustring,
  watch: bool,
  listRequestType: byte,
  withStat: bool,
  withData: bool,
});

/** `limit`: how many znodes may be deleted; unsigned. */
export const RemoveRecursiveRequest = record('RemoveRecursiveRequest', {
  path: ustring,
  limit: int,
});

/** `limit`: how many znodes may be listed; unsigned. */
export const ListRecursiveRequest = record('ListRecursiveRequest', { path: ustring, limit: int });

/** A field of `stat` that is -1 may have any value. */
export const CheckStatRequest = record('CheckStatRequest', {
  path: ustring,
  version: int,
  stat: StatRecord,
});

export const ListRequestType = { all: 0, persistentOnly: 1, ephemeralOnly: 2 } as const;

/** The names of KeeperFeatureFlag by their numbers, and whether the dialect here has them. */
export const KEEPER_FEATURES: readonly (readonly [name: string, isServed: boolean])[] = [
  ['filtered_list', true],
  ['multi_read', true],
  ['check_not_exists', true],
  ['create_if_not_exists', true],
  ['remove_recursive', true],
  ['multi_watches', false],
  ['check_stat', true],
  ['persistent_watches', false],
  ['create_with_stats', false],
  ['try_remove', true],
  ['list_with_stat_and_data', true],
  ['get_children_recursive', true],
];

/** A bit for each flag, the first one at the highest bit. */
const FEATURE_FLAGS = Buffer.alloc(2);
for (const [flag, [, isServed]] of KEEPER_FEATURES.entries()) {
  if (isServed) FEATURE_FLAGS[flag >> 3] = (FEATURE_FLAGS[flag >> 3] ?? 0) | (0x80 >> (flag & 7));
}

/** KeeperApiVersion::WITH_CHECK_NOT_EXISTS, for clients that know no feature flags. */
export const KEEPER_API_VERSION = '3';

/**
 * The znodes that announce the dialect. No tree has them: a client that moves to another server
 * must see what that one serves.
 */
export const KEEPER_ZNODES: ReadonlyMap<string, Buffer> = new Map([
  ['/keeper/api_version', Buffer.from(KEEPER_API_VERSION)],
  ['/keeper/feature_flags', FEATURE_FLAGS],
]);
