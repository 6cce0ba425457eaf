/** Checks locks by their fencing tokens, and the numbers of sequential znodes. */
import { describe, type Mark, type Operation } from './operations.js';
import { parentPath } from './partition.js';
import type { Verdict } from './verdict.js';

/** The last sequence number; Apache's servers repeat it (DataTree.createNode). */
const MAX_NUMBER = 2 ** 31 - 1;

interface Hold {
  readonly operation: Operation;
  readonly token: number;
  /** When its holder stopped relying on it. */
  until: number;
}

/**
 * A lock has at most one holder at a time, and each holder's token is greater than all earlier
 * ones.
 */
export function checkLocks(operations: readonly Operation[], marks: readonly Mark[]): Verdict[] {
  const byLock = new Map<string, Hold[]>();
  for (const operation of operations) {
    const { name, outcome, args, result } = operation;
    if (name !== 'acquire' || outcome !== 'ok' || args.lock === undefined) continue;
    const hold = { operation, token: result.token ?? 0, until: Infinity };
    const known = byLock.get(args.lock) ?? [];
    byLock.set(args.lock, known);
    known.push(hold);
  }
  for (const { name, args, session, start } of operations) {
    if (name === 'release') endHolds(byLock, session, args.lock, args.token, start, 'start');
    if (name === 'closeSession') endHolds(byLock, session, undefined, undefined, start, 'start');
  }
  for (const { at, event } of marks) {
    if (event.op === 'connected' || event.op === 'event') continue;
    // A disconnected or ended session cannot rely on any lock.
    const { lock, token } = event.op === 'lockLost' ? (event.args ?? {}) : {};
    endHolds(byLock, event.session, lock, token, at, 'end');
  }
  return [...byLock.values()].flatMap(checkHolds);
}

function endHolds(
  byLock: ReadonlyMap<string, readonly Hold[]>,
  session: string,
  lock: string | undefined,
  token: number | undefined,
  at: number,
  since: 'start' | 'end',
): void {
  const holds = lock === undefined ? [...byLock.values()].flat() : (byLock.get(lock) ?? []);
  for (const hold of holds) {
    const { operation } = hold;
    const isMeant = operation.session === session && (token ?? hold.token) === hold.token;
    if (isMeant && operation[since] < at) hold.until = Math.min(hold.until, at);
  }
}

function checkHolds(holds: readonly Hold[]): Verdict[] {
  // Ignore holds that were given up before they were granted.
  const held = holds.filter(({ operation, until }) => until > operation.end);
  const byStart = held.sort((a, b) => a.operation.end - b.operation.end);
  const verdicts: Verdict[] = [];
  let longest: Hold | undefined;
  let highest: Hold | undefined;
  for (const hold of byStart) {
    if (longest !== undefined && longest.until > hold.operation.end) {
      verdicts.push(complain('two holders at once', longest, hold));
    }
    if (longest === undefined || hold.until > longest.until) longest = hold;
    // A later holder waited for the earlier one, even if it requested the lock first.
    if (highest !== undefined && highest.token >= hold.token) {
      verdicts.push(complain('the token does not grow', highest, hold));
    }
    if (highest === undefined || hold.token > highest.token) highest = hold;
  }
  return verdicts;
}

function complain(what: string, a: Hold, b: Hold): Verdict {
  const message = `${what}: ${describe(a.operation)}, ${describe(b.operation)}`;
  return { property: 'lock', message, lines: [a.operation.end + 1, b.operation.end + 1] };
}

interface Numbered {
  readonly operation: Operation;
  readonly number: number;
}

/** Sequence numbers of one parent are unique and grow with time. They wrap as 32-bit integers. */
export function checkSequences(operations: readonly Operation[]): Verdict[] {
  const byParent = new Map<string, Numbered[]>();
  const deleted = new Set<string>();
  for (const operation of operations) {
    const { name, outcome, args, result } = operation;
    if (outcome === 'fail') continue;
    if (name === 'delete') deleted.add(args.path ?? '/');
    for (const part of args.ops ?? []) if (part.op === 'delete') deleted.add(part.path ?? '/');
    if (outcome !== 'ok') continue;
    const created = name === 'create' ? [args] : (args.ops ?? []);
    created.forEach((part, i) => {
      const path = (name === 'create' ? result : result.results?.[i])?.path;
      if (part.sequential !== true || path === undefined) return;
      const number = Number(path.slice(part.path?.length ?? 0));
      // From the last number on, Apache's servers repeat numbers (DataTree.createNode).
      if (number < 0 || number === MAX_NUMBER) return;
      const parent = parentPath(path);
      const known = byParent.get(parent) ?? [];
      byParent.set(parent, known);
      known.push({ operation, number });
    });
  }
  return [...byParent].flatMap(([parent, made]) => {
    // If the parent was created again, its numbers start again.
    return deleted.has(parent) ? [] : checkNumbers(made);
  });
}

function checkNumbers(made: readonly Numbered[]): Verdict[] {
  const verdicts: Verdict[] = [];
  const owners = new Map<number, Numbered>();
  for (const one of made) {
    const owner = owners.get(one.number);
    owners.set(one.number, one);
    if (owner !== undefined && owner.operation !== one.operation) {
      verdicts.push(complainNumber('one number twice', owner, one));
    }
  }
  const byEnd = [...made].sort((a, b) => a.operation.end - b.operation.end);
  let ended = 0;
  let highest: Numbered | undefined;
  for (const one of made) {
    for (let next = byEnd[ended]; next !== undefined; next = byEnd[++ended]) {
      if (next.operation.end >= one.operation.start) break;
      if (highest === undefined || isAfter(next.number, highest.number)) highest = next;
    }
    if (highest !== undefined && !isAfter(one.number, highest.number)) {
      verdicts.push(complainNumber('the number does not grow', highest, one));
    }
  }
  return verdicts;
}

function isAfter(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}

function complainNumber(what: string, a: Numbered, b: Numbered): Verdict {
  const message = `${what}: ${describe(a.operation)}, ${describe(b.operation)}`;
  return { property: 'sequence', message, lines: [a.operation.end + 1, b.operation.end + 1] };
}
