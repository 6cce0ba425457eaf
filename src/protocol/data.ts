/** Module org.apache.zookeeper.data of zookeeper.jute. */
import { int, long, record, type TypeOf, ustring, vector } from '../jute/record.js';

/** An identity: "digest" and "user:hash", "ip" and "10.0.0.0/8", "world" and "anyone". */
export const Id = record('Id', { scheme: ustring, id: ustring });
export type Id = TypeOf<typeof Id>;

/** An entry of an ACL: the bits of Perms, and who has them. */
export const ACL = record('ACL', { perms: int, id: Id });
export type ACL = TypeOf<typeof ACL>;

/** 68 bytes; times are milliseconds since 1970. */
export const StatRecord = record('Stat', {
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
export type StatRecord = TypeOf<typeof StatRecord>;

/**
 * What a client learns of a znode. Zxids and the owner have 64 bits, so they are bigints.
 * @example
 * const stat = await client.exists('/app');
 * if (stat !== null) console.log(new Date(stat.mtime), JSON.stringify(stat));
 */
export class Stat {
  /** The zxid of the create. */
  readonly czxid: bigint;
  /** The zxid of the last change of the data. */
  readonly mzxid: bigint;
  /** The time of the create in ms since 1970, by the clock of a server: `new Date(stat.ctime)`. */
  readonly ctime: number;
  /** The time of the last change of the data, as ctime. */
  readonly mtime: number;
  /** Counts the changes of the data. */
  readonly version: number;
  /** Counts the creates and deletes of children. */
  readonly cversion: number;
  /** Counts the changes of the ACL. */
  readonly aversion: number;
  /** The session of an ephemeral; 0n for other znodes. */
  readonly ephemeralOwner: bigint;
  /** In bytes. */
  readonly dataLength: number;
  /** Without the children of its children. */
  readonly numChildren: number;
  /** The zxid of the last create or delete of a child. */
  readonly pzxid: bigint;

  constructor(fields: StatRecord | Omit<Stat, 'toJSON'>) {
    this.czxid = fields.czxid;
    this.mzxid = fields.mzxid;
    this.ctime = Number(fields.ctime);
    this.mtime = Number(fields.mtime);
    this.version = fields.version;
    this.cversion = fields.cversion;
    this.aversion = fields.aversion;
    this.ephemeralOwner = fields.ephemeralOwner;
    this.dataLength = fields.dataLength;
    this.numChildren = fields.numChildren;
    this.pzxid = fields.pzxid;
  }

  /** With the bigints, which JSON.stringify refuses, as decimal strings. */
  toJSON(): object {
    const { czxid, mzxid, ephemeralOwner, pzxid } = this;
    return {
      ...this,
      czxid: String(czxid),
      mzxid: String(mzxid),
      ephemeralOwner: String(ephemeralOwner),
      pzxid: String(pzxid),
    };
  }
}

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
export const NO_STAT: StatRecord = {
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
