import { childPath } from '../../../protocol/path.js';
import { formatAcl } from '../../../protocol/perms.js';
import { statFields } from '../../znodes/stat-lines.js';
import type { Result } from './result.js';

/** For pipes: exact bytes, one name per line, ACLs as for setAcl. Undefined selects text. */
export function resultToRaw(result: Result): string | Buffer | undefined {
  switch (result.kind) {
    case 'data':
      return result.data ?? '';
    case 'children':
      return oneALine(result.children);
    case 'path':
      return `${result.path}\n`;
    case 'paths':
      return oneALine(result.paths);
    case 'created':
      return `${result.path}\n`;
    case 'changed':
      return result.isStatShown ? undefined : `${result.path}\n`;
    case 'acl':
      return `${formatAcl(result.acl)}\n`;
    case 'stat':
      return oneALine(statFields(result.stat).map(([name, value]) => `${name}\t${value}`));
    case 'identities':
      return oneALine(result.identities.map(({ authScheme, user }) => `${authScheme}:${user}`));
    case 'message':
      return result.raw === undefined ? undefined : `${result.raw}\n`;
    case 'rows':
      return oneALine(
        result.rows.map((row) => result.columns.map(({ name }) => row[name] ?? '').join('\t')),
      );
    case 'of-path':
      return ofPath(result.path, result.result);
    default:
      return undefined;
  }
}

function oneALine(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}

/** Adds the path to each line, but not to values. */
function ofPath(path: string, result: Result): string | Buffer | undefined {
  if (result.kind === 'data' || result.kind === 'changed') return resultToRaw(result);
  if (result.kind === 'children') {
    return oneALine(result.children.map((name) => childPath(path, name)));
  }
  const text = result.kind === 'count' ? `${result.count}\n` : resultToRaw(result)?.toString();
  return text?.replace(/^(?=.)/gms, `${path.replaceAll('$', '$$$$')}\t`);
}
