import { checkString } from '../../protocol/check-argument.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { isWithin, pathFault } from '../../protocol/path.js';
import { ZooKeeperError } from './errors.js';

/**
 * Converts a client path to a server path, after the rules of PathUtils.validatePath.
 * @param chroot "" or an absolute path
 * @throws ZooKeeperError BADARGUMENTS for an invalid path; TypeError
 */
export function toServerPath(chroot: string, path: string, isSequential = false): string {
  const fault = pathFault(checkString('path', path), isSequential);
  if (fault !== undefined) {
    throw new ZooKeeperError(ErrorCode.BADARGUMENTS, path, { detail: fault });
  }
  if (chroot === '') return path;
  // A sequential create at "/" names the znode by its number alone, so keep the slash.
  return path === '/' && !isSequential ? chroot : chroot + path;
}

/** Removes the chroot; leaves a path outside of it (/zookeeper/config) unchanged. */
export function toClientPath(chroot: string, path: string): string {
  if (chroot === '' || !isWithin(path, chroot)) return path;
  return path.length === chroot.length ? '/' : path.slice(chroot.length);
}
