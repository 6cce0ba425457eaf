/**
 * The items of a search: operations that took effect, each between two positions of the history.
 */
import { type Evidence, findEvidence } from './evidence.js';
import type { InitialNode, Part } from './format.js';
import { isTelling } from './model.js';
import { isOrdered, isWrite, type Mark, type Operation, partsOf } from './operations.js';

export interface Item {
  readonly operation: Operation;
  readonly kind: 'write' | 'read' | 'end';
  readonly parts: readonly Part[];
  /** For the end of a session: the znodes that may be its ephemerals. */
  readonly slots: readonly number[];
  /** It took effect between these positions of the history. */
  readonly start: number;
  readonly end: number;
  /** Whether it may have had no effect. */
  isOptional: boolean;
  readonly isMutating: boolean;
  zxid: bigint | undefined;
  /** The versions of its values, as reads show them, by `keyOf`. */
  readonly versions?: ReadonlyMap<string, number> | undefined;
  /** Its position in the program order of its session. */
  readonly place: number;
}

export interface World {
  readonly operations: readonly Operation[];
  readonly marks: readonly Mark[];
  readonly initial: readonly InitialNode[];
}

/** The items of the search: writes, ends of sessions, and reads right after a sync. */
export function makeItems(world: World): Item[] {
  return new ItemMaker(world).run();
}

class ItemMaker {
  private readonly world: World;
  private readonly items: Item[] = [];
  private readonly lives = new Map<string, Life>();
  private readonly synced = new Map<string, number>();
  private readonly ordered: readonly number[];
  private readonly evidence: ReadonlyMap<Operation, Evidence>;

  constructor(world: World) {
    this.world = world;
    this.ordered = nextOrdered(world.operations, world.marks);
    this.evidence = findEvidence(world.operations);
  }

  run(): Item[] {
    const { operations, marks } = this.world;
    for (const { at, event } of marks) {
      if (event.op === 'expired') lifeOf(this.lives, event.session).expiredAt = at;
    }
    operations.forEach((operation, place) => {
      const { session, name, outcome, start } = operation;
      const life = lifeOf(this.lives, session);
      if (outcome !== 'unknown' && isOrdered(operation)) life.lastAt = start;
      if (isWrite(operation)) this.write(operation, place);
      else if (name === 'closeSession') this.close(operation, place, life);
      else if (name !== 'sync') this.read(operation, place);
      if (name === 'sync' && outcome === 'ok') this.synced.set(session, start);
      else this.synced.delete(session);
    });
    return [...this.items, ...makeExpiries(this.lives, operations.length)];
  }

  private write(operation: Operation, place: number): void {
    const { outcome, error, start, end } = operation;
    const parts = partsOf(operation);
    if (parts.length === 0 || (outcome === 'fail' && !isTelling(error))) return;
    const shown = this.evidence.get(operation);
    const isUnknown = outcome === 'unknown';
    const last = isUnknown ? (this.ordered[place] ?? Infinity) : end;
    this.items.push({
      operation,
      kind: 'write',
      parts,
      slots: [],
      start,
      end: Math.min(last, shown?.end ?? Infinity),
      isOptional: isUnknown && shown === undefined,
      isMutating: outcome !== 'fail',
      zxid: operation.zxid ?? shown?.zxid,
      versions: shown?.versions,
      place,
    });
  }

  private close(operation: Operation, place: number, life: Life): void {
    const { outcome, start, end, zxid } = operation;
    if (outcome !== 'ok') return;
    life.hasEnded = true;
    const fixed = { parts: [], slots: [], isOptional: false, isMutating: true } as const;
    this.items.push({ operation, kind: 'end', start, end, zxid, place, ...fixed });
  }

  private read(operation: Operation, place: number): void {
    const start = this.synced.get(operation.session);
    if (start === undefined || !isSingleRead(operation)) return;
    const { end, zxid } = operation;
    const parts = [{ op: 'check' as const, ...operation.args }];
    const fixed = { slots: [], isOptional: false, isMutating: false };
    this.items.push({ operation, kind: 'read', parts, start, end, zxid, place, ...fixed });
  }
}

function isSingleRead({ name, outcome, error }: Operation): boolean {
  if (name !== 'getData' && name !== 'exists') return false;
  return outcome === 'ok' || (outcome === 'fail' && error === 'NONODE');
}

interface Life {
  hasEnded: boolean;
  lastAt: number;
  expiredAt: number;
}

function lifeOf(lives: Map<string, Life>, session: string): Life {
  const known = lives.get(session) ?? { hasEnded: false, lastAt: 0, expiredAt: Infinity };
  lives.set(session, known);
  return known;
}

/**
 * A session without a close may expire after the leader has processed its last request. Its client
 * learns of it late, and may read from a server that learns of it later still.
 */
function makeExpiries(lives: ReadonlyMap<string, Life>, place: number): Item[] {
  return [...lives].flatMap(([session, { hasEnded, lastAt, expiredAt }]) => {
    if (hasEnded) return [];
    const isKnown = expiredAt !== Infinity;
    const operation: Operation = {
      session,
      name: 'expired',
      args: {},
      start: Math.min(lastAt, expiredAt),
      end: expiredAt,
      outcome: isKnown ? 'ok' : 'unknown',
      result: {},
      error: undefined,
      zxid: undefined,
    };
    const { start, end } = operation;
    const bounds = { start, end, isOptional: !isKnown, isMutating: true, zxid: undefined };
    return [{ operation, kind: 'end' as const, parts: [], slots: [], place, ...bounds }];
  });
}

/**
 * The position before which an operation without an answer must take effect: the session's next
 * operation through the leader takes effect after it, and nothing after the end of the session.
 */
function nextOrdered(operations: readonly Operation[], marks: readonly Mark[]): number[] {
  const next = new Map<string, number>();
  for (const { at, event } of marks) if (event.op === 'expired') next.set(event.session, at);
  const found = new Array<number>(operations.length).fill(Infinity);
  for (let place = operations.length - 1; place >= 0; place--) {
    const operation = operations[place] as Operation;
    found[place] = next.get(operation.session) ?? Infinity;
    if (operation.outcome !== 'unknown' && isOrdered(operation)) {
      next.set(operation.session, operation.end);
    }
  }
  return found;
}
