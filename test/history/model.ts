/** The effects of writes on a few znodes: the sequential specification for histories. */
import { keyOf } from './evidence.js';
import type { Part, Result } from './format.js';
import type { Item } from './items.js';
import { makeZnode, type State, type Znode } from './state.js';

/** Errors that prove something about the znodes. Others only prove that the operation failed. */
const TELLING = new Set([
  'NONODE',
  'NODEEXISTS',
  'BADVERSION',
  'NOTEMPTY',
  'NOCHILDRENFOREPHEMERALS',
]);

export function isTelling(error: string | undefined): boolean {
  return error !== undefined && TELLING.has(error);
}

/** The znodes that a partition follows. */
export interface Scope {
  /** Undefined for a znode that the partition does not follow, whose state is unknown. */
  slotOf(path: string): number | undefined;
  parentOf(path: string): number | undefined;
}

/** @returns the next state; undefined if the item cannot have taken effect in this state */
export function apply(scope: Scope, state: State, item: Item): State | undefined {
  const { operation, parts } = item;
  const { outcome, error } = operation;
  if (item.kind === 'end') return dropEphemerals(state, operation.session, item.slots);
  if (item.kind === 'read') return isShown(scope, state, item) ? state : undefined;
  if (outcome === 'fail') {
    if (!isTelling(error)) return state;
    return isRefused(scope, state, item) ? state : undefined;
  }
  let next = state;
  for (const [i, part] of parts.entries()) {
    if (errorsOf(scope, next, part).length > 0) return undefined;
    const result = operation.name === 'multi' ? operation.result.results?.[i] : operation.result;
    const done = perform(scope, next, part, operation.session, versionAfter(item, part, result));
    if (done === undefined) return undefined;
    next = done;
  }
  return next;
}

/** The version that a write produced, from its answer or from a later read. */
function versionAfter(item: Item, part: Part, result: Result | undefined): number | undefined {
  const { path = '/', data = null } = part;
  return result?.stat?.version ?? item.versions?.get(keyOf(path, data));
}

function dropEphemerals(state: State, session: string, slots: readonly number[]): State {
  let next = state;
  for (const slot of slots)
    if (next.get(slot)?.owner === session) next = next.with(slot, undefined);
  return next;
}

function isShown(scope: Scope, state: State, { operation, parts }: Item): boolean {
  const slot = scope.slotOf(parts[0]?.path ?? '');
  if (slot === undefined) return true;
  const znode = state.get(slot);
  const isAbsent = operation.outcome === 'fail' || operation.result.stat === null;
  return isAbsent ? znode === undefined : shows(znode, operation.result);
}

/** Whether a read of the znode in this state can have had this result. */
export function shows(znode: Znode | undefined, { data, stat }: Result): boolean {
  if (znode === undefined) return false;
  if (data !== undefined && znode.data !== undefined && data !== znode.data) return false;
  return isSameVersion(znode.version, stat?.version);
}

function isSameVersion(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

function isRefused(scope: Scope, state: State, item: Item): boolean {
  const { name, error, result } = item.operation;
  if (name !== 'multi') {
    return errorsOf(scope, state, item.parts[0] as Part).includes(error as string);
  }
  let next = state;
  for (const [i, part] of item.parts.entries()) {
    const errors = errorsOf(scope, next, part);
    const isPlace = result.failed === undefined || result.failed === i;
    if (isPlace && errors.includes(error as string)) return true;
    if (errors.some((found) => found !== '?')) return false;
    next = perform(scope, next, part, item.operation.session, undefined) ?? next;
  }
  return false;
}

/** The errors that the part can get. The server decides which of several it reports. */
function errorsOf(scope: Scope, state: State, part: Part): readonly string[] {
  const { op, path = '/', version = -1 } = part;
  const slot = scope.slotOf(path);
  const errors: string[] = [];
  if (op === 'create') {
    const parent = scope.parentOf(path);
    if (parent !== undefined) {
      const znode = state.get(parent);
      if (znode === undefined) errors.push('NONODE');
      else if (znode.owner !== undefined) errors.push('NOCHILDRENFOREPHEMERALS');
    }
    const isThere = slot !== undefined && state.get(slot) !== undefined;
    if (isThere && !isUnnamed(part)) errors.push('NODEEXISTS');
    return errors;
  }
  if (slot === undefined) return errors;
  const znode = state.get(slot);
  if (znode === undefined) return ['NONODE'];
  if (version !== -1 && znode.version !== undefined && znode.version !== version) {
    errors.push('BADVERSION');
  }
  if (op === 'delete' && znode.children > 0) errors.push('NOTEMPTY');
  return errors;
}

/** A sequential create without an answer: its name is unknown. */
export function isUnnamed({ sequential, path = '' }: Part): boolean {
  return sequential === true && !/(?:\d{10}|-\d{9})$/.test(path);
}

function perform(
  scope: Scope,
  state: State,
  part: Part,
  session: string,
  seen: number | undefined,
): State | undefined {
  const { op, path = '/' } = part;
  const slot = scope.slotOf(path);
  if (slot === undefined || op === 'check' || (op === 'create' && isUnnamed(part))) return state;
  const znode = state.get(slot);
  if (op === 'create') {
    const { data, ephemeral } = part;
    const owner = ephemeral === true ? session : undefined;
    const made = makeZnode({ data, version: 0, owner, children: 0 });
    return countChild(scope, state.with(slot, made), path, 1);
  }
  if (znode === undefined) return undefined;
  if (op === 'delete') return countChild(scope, state.with(slot, undefined), path, -1);
  // Versions are 32-bit integers that wrap, as in the server.
  const next = znode.version === undefined ? seen : (znode.version + 1) | 0;
  if (!isSameVersion(next, seen)) return undefined;
  return state.with(slot, makeZnode({ ...znode, data: part.data, version: next }));
}

function countChild(scope: Scope, state: State, path: string, by: number): State {
  const parent = scope.parentOf(path);
  const znode = parent === undefined ? undefined : state.get(parent);
  if (parent === undefined || znode === undefined) return state;
  return state.with(parent, makeZnode({ ...znode, children: znode.children + by }));
}
