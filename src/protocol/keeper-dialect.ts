/**
 * What ClickHouse asks of a ClickHouse Keeper beyond Apache's protocol. Source of the numbers:
 * ZooKeeperConstants.h, KeeperFeatureFlags.h, and KeeperConstants.h of ClickHouse.
 */
import { bool, int, record, ustring } from '../jute/record.js';

/** The request types of the dialect, with the names of Coordination::OpNum. */
export const KeeperOpCode = {
  filteredList: 500,
  checkNotExists: 501,
} as const;

/** All request types of the dialect are at least this. */
export const FIRST_KEEPER_OP = KeeperOpCode.filteredList;

/** `listRequestType` is a ListRequestType. */
export const FilteredListRequest = record('FilteredListRequest', {
  path: ustring,
  watch: bool,
  listRequestType: int,
});

export const ListRequestType = { all: 0, persistentOnly: 1, ephemeralOnly: 2 } as const;

/** The bits of a KeeperFeatureFlag begin at the highest one of the first byte. */
const FLAGS = { filteredList: 0x80, checkNotExists: 0x20 };
/**
 * No MULTI_READ: Keeper answers a failed read of a multi-read in another form than Apache's server,
 * and the clients of one cannot read the form of the other.
 */
const FEATURE_FLAGS = Buffer.from([FLAGS.filteredList | FLAGS.checkNotExists, 0]);
/** KeeperApiVersion::WITH_FILTERED_LIST, for clients that know no flags: 2 includes multi-reads. */
const API_VERSION = Buffer.from('1');

/**
 * The znodes that announce the dialect. No tree has them: a client that moves to another server
 * must see what that one serves.
 */
export const KEEPER_ZNODES: ReadonlyMap<string, Buffer> = new Map([
  ['/keeper/api_version', API_VERSION],
  ['/keeper/feature_flags', FEATURE_FLAGS],
]);
