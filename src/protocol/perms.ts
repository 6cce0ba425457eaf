import type { ACL } from './data.js';

/** The bits of an ACL's perms (ZooDefs.Perms). */
export const Perms = { READ: 1, WRITE: 2, CREATE: 4, DELETE: 8, ADMIN: 16, ALL: 31 } as const;

/** In Apache's print order. */
const LETTERS = [
  ['c', Perms.CREATE],
  ['d', Perms.DELETE],
  ['r', Perms.READ],
  ['w', Perms.WRITE],
  ['a', Perms.ADMIN],
] as const;

/** "cdrwa", in Apache's order; ignores unknown bits. */
export function formatPerms(perms: number): string {
  return LETTERS.filter(([, bit]) => (perms & bit) !== 0)
    .map(([letter]) => letter)
    .join('');
}

/** As commands take it: "world:anyone:cdrwa,ip:127.0.0.1:r". */
export function formatAcl(acl: readonly ACL[]): string {
  return acl.map(({ perms, id }) => `${id.scheme}:${id.id}:${formatPerms(perms)}`).join(',');
}

/** The bits of "crwda" in any order; undefined for an unknown letter or an empty text. */
export function parsePerms(text: string): number | undefined {
  let perms = 0;
  for (const letter of text) {
    const found = LETTERS.find(([name]) => name === letter);
    if (found === undefined) return undefined;
    perms |= found[1];
  }
  return perms === 0 ? undefined : perms;
}

const ANYONE = { scheme: 'world', id: 'anyone' } as const;
/** Everybody may do everything. */
export const OPEN_ACL_UNSAFE: readonly ACL[] = [{ perms: Perms.ALL, id: ANYONE }];
/** Everybody may read, nobody may do more. */
export const READ_ACL_UNSAFE: readonly ACL[] = [{ perms: Perms.READ, id: ANYONE }];
/** The identities of the creator may do everything; without any, INVALIDACL. */
export const CREATOR_ALL_ACL: readonly ACL[] = [
  { perms: Perms.ALL, id: { scheme: 'auth', id: '' } },
];
