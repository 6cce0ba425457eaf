import type { ACL } from '../../protocol/data.js';
import { formatPerms } from '../../protocol/perms.js';

/** The form that setAcl takes: `world:anyone:cdrwa,digest:amy:…:r`. */
export function aclText(acl: readonly ACL[]): string {
  return acl.map(({ id, perms }) => `${id.scheme}:${id.id}:${formatPerms(perms)}`).join(',');
}
