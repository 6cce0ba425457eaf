/** Module org.apache.zookeeper.data of zookeeper.jute. */
import { int, long, record, type TypeOf, ustring, vector } from '../jute/record.js';

/** An identity: "digest" and "user:hash", "ip" and "10.0.0.0/8", "world" and "anyone". */
export const Id = record('Id', { scheme: ustring, id: ustring });
export type Id = TypeOf<typeof Id>;

/** An entry of an ACL: the bits of Perms, and who has them. */
export const ACL = record('ACL', { perms: int, id: Id });
export type ACL = TypeOf<typeof ACL>;

/** 68 bytes; times are milliseconds since 1970. */
export const Stat = record('Stat', {
  czxid: long,
  mzxid: long,
  ctime: long,
  mtime: long,
  version: int,
  cversion: int,
  aversion: int,
  ephemeralOwner: long,
  dataLength: int,
  numChildren: int,
  pzxid: long,
});
export type Stat = TypeOf<typeof Stat>;

/** The Stat in snapshots and in the tree digest; `cversion` counts creates only. */
export const StatPersisted = record('StatPersisted', {
  czxid: long,
  mzxid: long,
  ctime: long,
  mtime: long,
  version: int,
  cversion: int,
  aversion: int,
  ephemeralOwner: long,
  pzxid: long,
});
export type StatPersisted = TypeOf<typeof StatPersisted>;

/** An identity of a session, as its server knows it. */
export const ClientInfo = record('ClientInfo', { authScheme: ustring, user: ustring });
export type ClientInfo = TypeOf<typeof ClientInfo>;

export const ACLVector = vector(ACL);
export const STAT_SIZE = 68;
export const STAT_PERSISTED_SIZE = 60;

/** The Stat of a znode that was never written. */
export const NO_STAT: Stat = {
  czxid: 0n,
  mzxid: 0n,
  ctime: 0n,
  mtime: 0n,
  version: 0,
  cversion: 0,
  aversion: 0,
  ephemeralOwner: 0n,
  dataLength: 0,
  numChildren: 0,
  pzxid: 0n,
};
