import { type CreateMode, containerOwner, ttlOwner } from '../../protocol/create-mode.js';
import { OpCode } from '../../protocol/op-code.js';
import { isParentPath } from '../../protocol/path.js';

export const CONFIG_PATH = '/zookeeper/config';

/** Paths that no client may delete. */
export const SPECIAL_PATHS: ReadonlySet<string> = new Set([
  '/',
  '/zookeeper',
  '/zookeeper/quota',
  CONFIG_PATH,
]);

/** Siblings come in runs, so the last parent is mostly the next one, in the same string. */
export class PrepParents {
  /** The last parent found: a path without a slash at its end, or "/". */
  private last = '/';

  /** Everything before the last slash; undefined without a slash, or with NUL. */
  of(path: string): string | undefined {
    if (path.includes('\0')) return undefined;
    if (isParentPath(this.last, path)) return this.last;
    const slash = path.lastIndexOf('/');
    if (slash === -1) return undefined;
    this.last = slash === 0 ? '/' : path.slice(0, slash);
    return this.last;
  }
}

/** A session, none (0n), or the mark of its type. */
export function ownerOf(type: number, mode: CreateMode, ttl: bigint, sessionId: bigint): bigint {
  if (type === OpCode.createContainer) return containerOwner();
  if (mode.isTTL) return ttlOwner(ttl);
  return mode.isEphemeral ? sessionId : 0n;
}

/** As 3.10 counts: it skips -1, which in a request means any version. */
export function nextVersion(version: number): number {
  return version === -2 ? 0 : (version + 1) | 0;
}
