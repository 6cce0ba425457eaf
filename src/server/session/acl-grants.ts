import { assert } from '../../base/assert.js';
import type { ACL, Id } from '../../protocol/data.js';
import type { Work } from '../limits/work.js';

export interface IdMatcher {
  /** Whether `matches` is equality. */
  readonly isExact: boolean;
  matches(id: string, aclId: string): boolean;
}

interface Holder {
  /** The ids by scheme. */
  readonly ids: ReadonlyMap<string, ReadonlySet<string>>;
  /** What each ACL grants to them. Neither a list of ids nor an ACL ever changes. */
  granted: WeakMap<readonly ACL[], number>;
  /** The ACLs that came into `granted` since it was made: at most MAX_GRANTED. */
  count: number;
}

/** Lists of ids that are known by their text: a learner sends them again with each request. */
const MAX_TEXTS = 1024;
/** ACLs for each list of ids. */
const MAX_GRANTED = 256;
const STEPS_PER_ENTRY = 2;

/**
 * The permissions that long ACLs grant to long lists of ids. Each pair is compared once, by sets
 * instead of each entry with each id.
 */
export class AclGrants {
  private readonly matchers: ReadonlyMap<string, IdMatcher>;
  /** By identity of the list. */
  private readonly holders = new WeakMap<readonly Id[], Holder>();
  /** By the JSON of the list: at most MAX_TEXTS. */
  private readonly byText = new Map<string, Holder>();

  constructor(matchers: ReadonlyMap<string, IdMatcher>) {
    this.matchers = matchers;
  }

  /** The permissions of all entries that hold for one of the ids. */
  of(acl: readonly ACL[], ids: readonly Id[], work: Work): number {
    const holder = this.holderOf(ids, work);
    const known = holder.granted.get(acl);
    if (known !== undefined) return known;
    work.steps += STEPS_PER_ENTRY * acl.length;
    let perms = 0;
    for (const entry of acl) {
      if ((entry.perms & ~perms) !== 0 && this.holds(entry.id, holder)) perms |= entry.perms;
    }
    if (holder.count++ === MAX_GRANTED) {
      holder.granted = new WeakMap();
      holder.count = 0;
    }
    assert(holder.count <= MAX_GRANTED, 'sessions: too many ACLs are remembered', holder.count);
    holder.granted.set(acl, perms);
    return perms;
  }

  private holds({ scheme, id }: Id, { ids }: Holder): boolean {
    if (scheme === 'world' && id === 'anyone') return true;
    const matcher = this.matchers.get(scheme);
    const own = ids.get(scheme);
    if (matcher === undefined || own === undefined) return false;
    if (own.has(id) || matcher.isExact) return own.has(id);
    for (const one of own) if (matcher.matches(one, id)) return true;
    return false;
  }

  private holderOf(ids: readonly Id[], work: Work): Holder {
    const known = this.holders.get(ids);
    if (known !== undefined) return known;
    work.steps += STEPS_PER_ENTRY * ids.length;
    const text = JSON.stringify(ids);
    const holder = this.byText.get(text) ?? makeHolder(ids);
    if (this.byText.size >= MAX_TEXTS) this.byText.clear();
    this.byText.set(text, holder);
    assert(this.byText.size <= MAX_TEXTS, 'sessions: too many ids are remembered');
    this.holders.set(ids, holder);
    return holder;
  }
}

function makeHolder(ids: readonly Id[]): Holder {
  const byScheme = new Map<string, Set<string>>();
  for (const { scheme, id } of ids) {
    const own = byScheme.get(scheme);
    if (own === undefined) byScheme.set(scheme, new Set([id]));
    else own.add(id);
  }
  return { ids: byScheme, granted: new WeakMap(), count: 0 };
}
