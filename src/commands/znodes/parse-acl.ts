import type { ACL } from '../../protocol/data.js';
import { parsePerms } from '../../protocol/perms.js';

/** The offsets refer to the text of the ACL. */
export class AclSyntaxError extends Error {
  override readonly name = 'AclSyntaxError';
  readonly start: number;
  readonly end: number;
  readonly hint: string;
  /** The invalid part: an entry, its permissions as a whole, or one letter of them. */
  readonly part: 'entry' | 'permissions' | 'letter';

  constructor(
    part: AclSyntaxError['part'],
    message: string,
    start: number,
    end: number,
    hint: string,
  ) {
    super(message);
    this.part = part;
    this.start = start;
    this.end = end;
    this.hint = hint;
  }
}

const FORM = 'write scheme:id:perms[,scheme:id:perms...], such as world:anyone:cdrwa';

/**
 * Parses "scheme:id:perms[,…]". Ids may contain colons (digest, IPv6) and commas (X.509). So the
 * first colon ends the scheme, the last one starts the perms, and a comma ends an entry only before
 * text that looks like a scheme.
 * @throws AclSyntaxError for any invalid entry; drops none
 */
export function parseAcl(text: string): readonly ACL[] {
  const entries: ACL[] = [];
  let start = 0;
  for (const part of splitEntries(text)) {
    entries.push(parseEntry(part, start));
    start += part.length + 1;
  }
  return entries;
}

/** Text without a colon belongs to the previous entry. */
function splitEntries(text: string): string[] {
  const parts: string[] = [];
  for (const piece of text.split(',')) {
    const last = parts.at(-1);
    const isRest = last !== undefined && isOpen(last) && !/^[a-zA-Z0-9]+:/.test(piece);
    if (isRest) parts[parts.length - 1] = `${last},${piece}`;
    else parts.push(piece);
  }
  return parts;
}

/** Whether an entry has no perms yet. */
function isOpen(entry: string): boolean {
  const first = entry.indexOf(':');
  return first !== -1 && entry.lastIndexOf(':') === first;
}

function parseEntry(entry: string, start: number): ACL {
  const first = entry.indexOf(':');
  const last = entry.lastIndexOf(':');
  if (first < 1 || last === first) {
    throw new AclSyntaxError(
      'entry',
      `invalid ACL entry: "${entry}" (expected scheme:id:perms)`,
      start,
      start + Math.max(1, entry.length),
      FORM,
    );
  }
  const letters = entry.slice(last + 1);
  const perms = parsePerms(letters);
  if (perms === undefined) throw badPerms(letters, start + last + 1);
  return { perms, id: { scheme: entry.slice(0, first), id: entry.slice(first + 1, last) } };
}

function badPerms(letters: string, start: number): AclSyntaxError {
  const at = [...letters].findIndex((letter) => parsePerms(letter) === undefined);
  if (at === -1) {
    const message = 'invalid ACL entry: missing permissions';
    return new AclSyntaxError('permissions', message, start, start + 1, FORM);
  }
  return new AclSyntaxError(
    'letter',
    `unknown permission: "${letters.charAt(at)}" (expected c, d, r, w, or a)`,
    start + at,
    start + at + 1,
    'the permissions are c(reate) d(elete) r(ead) w(rite) a(dmin)',
  );
}

/** Without ADMIN permission, servers hide the hash of a digest. */
export function isMasked({ id }: ACL): boolean {
  return id.scheme === 'digest' && id.id.endsWith(':x');
}
