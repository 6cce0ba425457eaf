/** The interface of the npm package `zookeeper`: Apache's C client with callbacks. */
import { Stat } from '../../protocol/data.js';
import { UnsupportedError } from '../base/errors.js';

/** Zxids are exact up to 2^53. */
export interface NativeStat {
  readonly czxid: number;
  readonly mzxid: number;
  readonly pzxid: number;
  readonly dataLength: number;
  readonly numChildren: number;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ctime: Date;
  readonly mtime: Date;
  readonly ephemeralOwner: string;
}

export interface NativeACL {
  readonly perms: number;
  readonly scheme: string;
  readonly auth: string;
}

type Callback<T extends readonly unknown[]> = (rc: number, message: string, ...result: T) => void;

/** Each call returns a code. If it is not 0, the callback is never called. */
export interface NativeHandle {
  readonly client_id: string;
  readonly client_password: string;
  readonly timeout: number;
  init(config: Readonly<Record<string, string | number | boolean>>): unknown;
  close(): void;
  on(event: string, listener: (handle: unknown, detail: unknown) => void): unknown;
  add_auth(scheme: string, auth: string, callback: Callback<[]>): number;
  a_create(path: string, data: Buffer, flags: number, callback: Callback<[string]>): number;
  a_createTtl(
    path: string,
    data: Buffer,
    flags: number,
    ttl: number,
    callback: Callback<[string]>,
  ): number;
  a_delete_(path: string, version: number, callback: Callback<[]>): number;
  a_exists(path: string, watch: boolean, callback: Callback<[NativeStat]>): number;
  a_get(path: string, watch: boolean, callback: Callback<[NativeStat, Buffer | null]>): number;
  a_set(path: string, data: Buffer, version: number, callback: Callback<[NativeStat]>): number;
  a_get_children2(
    path: string,
    watch: boolean,
    callback: Callback<[readonly string[], NativeStat]>,
  ): number;
  a_set_acl(
    path: string,
    version: number,
    acl: readonly NativeACL[],
    callback: Callback<[]>,
  ): number;
  a_sync(path: string, callback: Callback<[string]>): number;
  a_reconfig(
    joining: string | null,
    leaving: string | null,
    members: string | null,
    version: number,
    callback: Callback<[NativeStat, Buffer | null]>,
  ): number;
}

interface NativePackage {
  readonly default: new () => NativeHandle;
}

/** @param name a string for the compiler, because the optional package may be missing */
export async function loadNative(name = 'zookeeper'): Promise<new () => NativeHandle> {
  try {
    const loaded = (await import(name)) as NativePackage;
    return loaded.default;
  } catch (cause) {
    throw new UnsupportedError(
      `native client: the npm package ${name} is not installed, or not built for this platform: run ` +
        `npm install ${name} beside zksh (with --global for a global zksh), or use the built-in client`,
      { cause },
    );
  }
}

/** Zxids are doubles: exact up to 2^53, that is up to epoch 2^21. */
export function toStat(stat: NativeStat): Stat {
  return new Stat({
    czxid: BigInt(stat.czxid),
    mzxid: BigInt(stat.mzxid),
    ctime: BigInt(stat.ctime.getTime()),
    mtime: BigInt(stat.mtime.getTime()),
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: BigInt.asIntN(64, BigInt(`0x${stat.ephemeralOwner}`)),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
    pzxid: BigInt(stat.pzxid),
  });
}
