/**
 * The names of a recipe's znodes among the children of one parent:
 *
 * ```
 *   _c_<guid>-<kind>-<sequence>                 a place in a line
 *   _c_<guid>-<kind>-<priority>-<sequence>      an item of a priority queue
 *   _c_<guid>-__READ__<sequence>                a reader of a shared lock, as Curator writes it
 *   _c_<guid>-__WRIT__<sequence>                a writer
 *   <32 hex digits>__lock__<sequence>           a place of kazoo's Lock, of the kind `lock`
 *   <32 hex digits>__rlock__<sequence>          a place of kazoo's ReadLock, of the kind `read`
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

const NAME =
  /^_c_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-([a-z]+-|__READ__|__WRIT__)(?:(\d+)-)?(-?\d+)$/;
const KAZOO_LOCK = /^[0-9a-f]{32}(__r?lock__)()(-?\d+)$/;

/** The kinds that we write as Curator does; the others are `<kind>-`. */
const TEXT_OF_KIND = new Map([
  ['read', '__READ__'],
  ['write', '__WRIT__'],
]);
const KIND_OF_TEXT = new Map([
  ['__READ__', 'read'],
  ['__WRIT__', 'write'],
  ['__lock__', 'lock'],
  ['__rlock__', 'read'],
]);

/** The part of a name before the sequence: "lock-", "__READ__". */
export function kindText(kind: string): string {
  return TEXT_OF_KIND.get(kind) ?? `${kind}-`;
}

function kindOf(text: string): string {
  return KIND_OF_TEXT.get(text) ?? text.slice(0, -1);
}

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
      const [, text, priority, sequence] = NAME.exec(name) ?? KAZOO_LOCK.exec(name) ?? [];
      if (text === undefined) return [];
      const kind = kindOf(text);
      if (!kinds.includes(kind)) return [];
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
