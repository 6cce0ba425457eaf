/**
 * The names of a recipe's znodes among the children of one parent:
 *
 * ```
 *   _c_<guid>-<kind>-<sequence>                 a place in a line
 *   _c_<guid>-<kind>-<priority>-<sequence>      an item of a priority queue
 *   <32 hex digits>__lock__<sequence>           a place of kazoo's Lock, of the kind `lock`
 * ```
 */

export interface Member {
  readonly name: string;
  readonly kind: string;
  /** 0 for a name without a priority. */
  readonly priority: number;
  /** A signed 32-bit counter that wraps around. */
  readonly sequence: number;
}

/** The kinds of places that exclude each other, of Lock and SharedLock. */
export const LOCK_KINDS = ['lock', 'read', 'write'] as const;

const NAME = /^_c_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-([a-z]+)(?:-(\d+))?-(-?\d+)$/;
const KAZOO_LOCK = /^[0-9a-f]{32}__(lock)__()(-?\d+)$/;

/**
 * The children of these kinds, by priority, then by sequence. The counter wraps around, so the
 * order is by distance, not by size.
 */
export function parseMembers(
  children: readonly string[],
  kinds: readonly string[],
): readonly Member[] {
  return children
    .flatMap((name) => {
      const [, kind, priority, sequence] = NAME.exec(name) ?? KAZOO_LOCK.exec(name) ?? [];
      if (kind === undefined || !kinds.includes(kind)) return [];
      return [{ name, kind, priority: Number(priority ?? 0), sequence: Number(sequence) }];
    })
    .sort((a, b) => a.priority - b.priority || (a.sequence - b.sequence) | 0);
}

export function membersOf(
  children: readonly string[],
  ...kinds: readonly string[]
): readonly string[] {
  return parseMembers(children, kinds).map(({ name }) => name);
}
