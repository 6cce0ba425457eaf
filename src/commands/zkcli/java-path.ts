import { cliFault } from './cli-fault.js';

/** Refuses a path with the messages of PathUtils.validatePath. @throws CommandError */
export function checkJavaPath(path: string, isSequential = false): string {
  const fault = faultOf(isSequential ? `${path}1` : path);
  if (fault !== undefined) throw cliFault(fault);
  return path;
}

function faultOf(path: string): string | undefined {
  if (path === '') return 'Path length must be > 0';
  if (!path.startsWith('/')) return 'Path must start with / character';
  if (path === '/') return undefined;
  if (path.endsWith('/')) return 'Path must not end with / character';
  for (let at = 1; at < path.length; at++) {
    const reason = reasonAt(path, at);
    if (reason !== undefined) return `Invalid path string "${path}" caused by ${reason} @${at}`;
  }
  return undefined;
}

function reasonAt(path: string, at: number): string | undefined {
  const unit = path.charCodeAt(at);
  const isEnd = at + 1 === path.length || path.charAt(at + 1) === '/';
  if (unit === 0) return 'null character not allowed';
  if (path.startsWith('//', at - 1)) return 'empty node name specified';
  if (isEnd && (path.startsWith('/..', at - 2) || path.startsWith('/.', at - 1))) {
    return 'relative paths not allowed';
  }
  const isForbidden =
    unit <= 0x1f || (unit >= 0x7f && unit <= 0x9f) || (unit >= 0xd800 && unit <= 0xf8ff);
  return isForbidden || unit >= 0xfff0 ? 'invalid character' : undefined;
}
