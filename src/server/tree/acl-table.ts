import { aclText } from '../../protocol/acl-codec.js';
import type { ACL } from '../../protocol/data.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../protocol/perms.js';

/** The key of world:anyone:ALL, which no snapshot lists. */
export const OPEN_ACL_KEY = -1;

const LAST_KEY = 0x7fff_ffff;

/** The distinct ACLs in use, by reference-counted keys (ReferenceCountedACLCache). */
export class AclTable {
  /** The ACLs that znodes have. The three maps always have the same ACLs. */
  private readonly byKey = new Map<number, readonly ACL[]>();
  /** By text, because equal ACLs share a key. */
  private readonly keyOf = new Map<string, number>();
  /** The znodes that have the ACL of a key, at least one. */
  private readonly uses = new Map<number, number>();
  /** The key given last; 0 before the first. */
  private lastKey = 0;

  acquire(acl: readonly ACL[]): number {
    if (isOpen(acl)) return OPEN_ACL_KEY;
    const text = aclText(acl);
    let key = this.keyOf.get(text);
    if (key === undefined) {
      key = this.freeKey();
      this.byKey.set(key, acl);
      this.keyOf.set(text, key);
    }
    this.uses.set(key, (this.uses.get(key) ?? 0) + 1);
    return key;
  }

  /** An int, because a Stat has room for one: after the last one, the free ones again. */
  private freeKey(): number {
    do this.lastKey = (this.lastKey % LAST_KEY) + 1;
    while (this.byKey.has(this.lastKey));
    return this.lastKey;
  }

  release(key: number): void {
    if (key === OPEN_ACL_KEY) return;
    const uses = (this.uses.get(key) ?? 0) - 1;
    if (uses > 0) {
      this.uses.set(key, uses);
      return;
    }
    const acl = this.byKey.get(key);
    if (acl !== undefined) this.keyOf.delete(aclText(acl));
    this.byKey.delete(key);
    this.uses.delete(key);
  }

  get(key: number): readonly ACL[] {
    return key === OPEN_ACL_KEY ? OPEN_ACL_UNSAFE : (this.byKey.get(key) ?? []);
  }

  *entries(): Generator<{ key: bigint; acl: readonly ACL[] }> {
    for (const [key, acl] of this.byKey) yield { key: BigInt(key), acl };
  }
}

/** Almost every znode has it, so recognize it without building a text. */
function isOpen(acl: readonly ACL[]): boolean {
  if (acl === OPEN_ACL_UNSAFE) return true;
  const entry = acl[0];
  return (
    entry !== undefined &&
    acl.length === 1 &&
    entry.perms === Perms.ALL &&
    entry.id.scheme === 'world' &&
    entry.id.id === 'anyone'
  );
}
