import { parentPath } from '../../../protocol/path.js';

/**
 * The absolute path of one typed: relative ones start at `cwd`, `.` and `..` are resolved as in a
 * file system (`..` of the root is the root), and a `/` at the end is dropped. Empty names (`//`)
 * stay, for pathFault to refuse.
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
