/** Converts between the values of the original package and those of the client. */

import assert from 'node:assert';
import type { CreateOptions } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { createModeOf, type CreateMode as Mode } from '../../protocol/create-mode.js';
import type { ACL as ClientACL, Stat as ClientStat } from '../../protocol/data.js';
import { ACL, exceptionOf, Id } from './values.js';

/** The Stat of the original package: 64-bit numbers are Buffers of 8 bytes, big-endian. */
export interface Stat {
  readonly czxid: Buffer;
  readonly mzxid: Buffer;
  readonly ctime: Buffer;
  readonly mtime: Buffer;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: Buffer;
  readonly dataLength: number;
  readonly numChildren: number;
  readonly pzxid: Buffer;
}

export function longOf(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

export function statOf(stat: ClientStat): Stat {
  return {
    ...stat,
    czxid: longOf(stat.czxid),
    mzxid: longOf(stat.mzxid),
    ctime: longOf(BigInt(stat.ctime)),
    mtime: longOf(BigInt(stat.mtime)),
    ephemeralOwner: longOf(stat.ephemeralOwner),
    pzxid: longOf(stat.pzxid),
  };
}

export function aclsOf(acls: readonly ClientACL[]): ACL[] {
  return acls.map(({ perms, id }) => new ACL(perms, new Id(id.scheme, id.id)));
}

export function clientAcls(acls: readonly ACL[]): readonly ClientACL[] {
  return acls.map(({ permission, id }) => ({
    perms: permission,
    id: { scheme: id.scheme, id: id.id },
  }));
}

export function checkAcls(acls: unknown, problem: string): void {
  assert(Array.isArray(acls) && acls.length > 0, problem);
}

export function errorOf(error: unknown): Error {
  if (error instanceof ZooKeeperError) return exceptionOf(error.number, error.path, error);
  return error instanceof Error ? error : new Error(String(error));
}

/** The optional arguments of create and mkdirp, distinguished by their types. */
export function createArguments(given: readonly unknown[]): {
  readonly data: Buffer | null;
  readonly options: CreateOptions;
} {
  const data = given.find((value) => Buffer.isBuffer(value)) ?? null;
  const acls = given.find((value) => Array.isArray(value));
  if (acls !== undefined) checkAcls(acls, 'acls must be a non-empty array.');
  const flag = given.find((value) => typeof value === 'number');
  const mode: Mode | undefined = flag === undefined ? undefined : createModeOf(flag);
  if (flag !== undefined && mode === undefined) throw new Error(`unknown create mode: ${flag}`);
  return {
    data,
    options: {
      ...(acls === undefined ? {} : { acl: clientAcls(acls) }),
      ...(mode === undefined ? {} : { mode }),
    },
  };
}
