import type { Choice, Found } from './complete.js';

/** Beginnings of ACL entries. The user types an id after the last four. */
const STARTS = ['world:anyone:', 'auth::', 'digest:', 'ip:', 'x509:', 'sasl:'];
/** Colons before the permissions: a digest id is `user:hash`. */
const COLONS: Readonly<Record<string, number>> = { digest: 3 };
const PERMISSIONS = ['cdrwa', 'cdrw', 'r', 'rw', 'c', 'd', 'w', 'a'];

export function completeAcl(text: string): Found {
  const entryStart = text.lastIndexOf(',') + 1;
  const entry = text.slice(entryStart);
  const parts = entry.split(':');
  const colons = COLONS[parts[0] ?? ''] ?? 2;
  if (parts.length <= colons) return { prefix: text.slice(0, entryStart), choices: starts(entry) };
  const letters = parts.at(-1) ?? '';
  const choices = PERMISSIONS.filter((perms) => perms.startsWith(letters)).map(open);
  return { prefix: text.slice(0, text.length - letters.length), choices };
}

function starts(entry: string): readonly Choice[] {
  return STARTS.filter((start) => start.startsWith(entry)).map(open);
}

function open(name: string): Choice {
  return { name, isOpen: true };
}
