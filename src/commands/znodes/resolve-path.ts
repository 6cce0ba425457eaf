import { parentPath } from '../../protocol/path.js';

/**
 * Relative paths start at `cwd`, `.` and `..` work as in a file system, and a trailing `/` is
 * dropped. Empty names (`//`) stay, so that pathFault can reject them.
 */
export function resolvePath(text: string, cwd: string): string {
  if (text === '') return cwd;
  let path = text.startsWith('/') ? '' : cwd === '/' ? '' : cwd;
  const rest = text.startsWith('/') ? text.slice(1) : text;
  const names = rest.endsWith('/') ? rest.slice(0, -1).split('/') : rest.split('/');
  if (rest === '') return '/';
  for (const name of names) {
    if (name === '.') continue;
    if (name === '..') path = path === '' ? '' : parentPath(path).replace(/^\/$/, '');
    else path = `${path}/${name}`;
  }
  return path === '' ? '/' : path;
}
