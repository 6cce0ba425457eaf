import type { ACL } from '../../protocol/data.js';
import { formatPerms } from '../../protocol/perms.js';

/** `world:anyone:cdrwa,digest:amy:…:r`: getAcl's answer, in the form for setAcl. */
export function aclText(acl: readonly ACL[]): string {
  return acl.map(({ id, perms }) => `${id.scheme}:${id.id}:${formatPerms(perms)}`).join(',');
}
