import { OutputArchive } from '../../../src/jute/output-archive.js';
import type { ACL } from '../../../src/protocol/data.js';
import { KeeperOpCode, RemoveRecursiveRequest } from '../../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import {
  AddWatchRequest,
  CheckVersionRequest,
  CreateRequest,
  CreateTTLRequest,
  DeleteRequest,
  PathRequest,
  PathWatchRequest,
  SetACLRequest,
  SetDataRequest,
  WatchesRequest,
} from '../../../src/protocol/proto.js';
import { MultiHeader } from '../../support/bytes/jute-records.js';

/** The type of a request and its body, as in a frame or in a multi. */
export interface Body {
  readonly type: number;
  readonly body: Buffer;
}

/** The flags of CreateRequest. */
export const Flags = {
  persistent: 0,
  ephemeral: 1,
  sequential: 2,
  ephemeralSequential: 3,
  container: 4,
  ttl: 5,
} as const;

/** The requests that create a txn. */
export const WRITES: ReadonlySet<number> = new Set([
  OpCode.create,
  OpCode.create2,
  OpCode.createContainer,
  OpCode.createTTL,
  OpCode.delete,
  OpCode.setData,
  OpCode.setACL,
  OpCode.multi,
  OpCode.reconfig,
  OpCode.closeSession,
  KeeperOpCode.createIfNotExists,
  KeeperOpCode.tryRemove,
  KeeperOpCode.removeRecursive,
]);

export function create(
  path: string,
  flags: number,
  data: string | null,
  type: number = OpCode.create,
  acl: readonly ACL[] = OPEN_ACL_UNSAFE,
): Body {
  const bytes = data === null ? null : Buffer.from(data);
  const spec = { path, data: bytes, acl, flags };
  return { type, body: CreateRequest.encode(spec) };
}

export function createTTL(path: string, data: string, ttl: bigint): Body {
  const spec = { path, data: Buffer.from(data), acl: OPEN_ACL_UNSAFE, flags: Flags.ttl, ttl };
  return { type: OpCode.createTTL, body: CreateTTLRequest.encode(spec) };
}

/** @param type delete, or tryRemove of ClickHouse Keeper */
export function remove(path: string, version = -1, type: number = OpCode.delete): Body {
  return { type, body: DeleteRequest.encode({ path, version }) };
}

export function setData(path: string, text: string, version = -1): Body {
  const body = SetDataRequest.encode({ path, data: Buffer.from(text), version });
  return { type: OpCode.setData, body };
}

export function setACL(path: string, acl: readonly ACL[], version = -1): Body {
  return { type: OpCode.setACL, body: SetACLRequest.encode({ path, acl, version }) };
}

/** Of ClickHouse Keeper. @param limit how many znodes may be deleted */
export function removeRecursive(path: string, limit: number): Body {
  const body = RemoveRecursiveRequest.encode({ path, limit });
  return { type: KeeperOpCode.removeRecursive, body };
}

/** @param type check, or checkNotExists of ClickHouse Keeper */
export function check(path: string, version: number, type: number = OpCode.check): Body {
  return { type, body: CheckVersionRequest.encode({ path, version }) };
}

/** A read of `type` that may set a watch: exists, getData, getChildren, getChildren2. */
export function look(type: number, path: string, watch: boolean): Body {
  return { type, body: PathWatchRequest.encode({ path, watch }) };
}

/** Any request whose body is a path. */
export function ofPath(type: number, path: string): Body {
  return { type, body: PathRequest.encode({ path }) };
}

/** @param mode 0 persistent, 1 persistent and recursive */
export function addWatch(path: string, mode: number): Body {
  return { type: OpCode.addWatch, body: AddWatchRequest.encode({ path, mode }) };
}

/** Removes every watch of the path: 3 is "any". */
export function removeWatches(path: string): Body {
  return { type: OpCode.removeWatches, body: WatchesRequest.encode({ path, type: 3 }) };
}

/** @param type multi or multiRead */
export function multi(parts: readonly Body[], type: number = OpCode.multi): Body {
  const out = new OutputArchive();
  for (const { type: partType, body } of parts) {
    MultiHeader.write(out, { type: partType, done: false, err: -1 });
    out.writeBytes(body);
  }
  MultiHeader.write(out, { type: -1, done: true, err: -1 });
  return { type, body: out.take() };
}
