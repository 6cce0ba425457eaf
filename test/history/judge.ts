/** Judges a history: finds results that are impossible on a correct service. */
import type { History } from './format.js';
import type { Item } from './items.js';
import { checkLocks, checkSequences } from './locks.js';
import { type Collected, collect, describe, type Operation } from './operations.js';
import { checkZxids } from './order.js';
import { type Partition, Partitions } from './partition.js';
import { checkReads, type Doubt, type ReadsFound } from './reads.js';
import { type Found, search } from './search.js';
import { Timelines } from './timeline.js';
import type { Verdict } from './verdict.js';
import { checkWatches } from './watches.js';

/** Limit of unknown operations that the judge assumes to have happened, to explain reads. */
const MAX_TRIALS = 200;

/** @returns the violations, one sentence each; empty for a possible history */
export function judge(history: History): Verdict[] {
  return new Judge(collect(history)).run();
}

class Judge {
  private readonly world: Collected;
  private readonly partitions: Partitions;
  private readonly timelines: Timelines;
  private readonly dropped = new Map<string, Item[]>();
  private readonly verdicts: Verdict[] = [];
  private readonly tried = new Set<Item>();

  constructor(world: Collected) {
    this.world = world;
    this.partitions = new Partitions(world);
    this.timelines = new Timelines(world.initial);
  }

  run(): Verdict[] {
    const { operations, marks, verdicts } = this.world;
    this.verdicts.push(...verdicts);
    for (const partition of this.partitions.all) {
      const found = search(partition, true);
      if (found.kind === 'order') this.follow(partition, found.order);
      else this.verdicts.push(refusal(partition, found));
    }
    const { verdicts: reads } = this.settleReads();
    this.verdicts.push(
      ...reads,
      ...checkZxids(operations),
      ...checkWatches({ operations, marks, timelines: this.timelines, dropped: this.dropped }),
      ...checkSequences(operations),
      ...checkLocks(operations, marks),
    );
    return this.verdicts;
  }

  private follow(partition: Partition, order: readonly Item[]): void {
    this.timelines.follow(partition, order, this.world.initial);
    const used = new Set(order);
    for (const path of partition.paths) this.dropped.delete(path);
    for (const item of partition.items) {
      if (!item.isOptional || used.has(item) || this.tried.has(item)) continue;
      const paths =
        item.kind === 'end'
          ? item.slots.map((slot) => partition.paths[slot] as string)
          : item.parts.map(({ path = '/' }) => path);
      for (const path of paths) {
        this.dropped.set(path, [...(this.dropped.get(path) ?? []), item]);
      }
    }
  }

  /** If a read shows a possible effect of a lost request, repeats the search with that request. */
  private settleReads(): ReadsFound {
    const { operations, initial } = this.world;
    const { partitions, timelines, dropped } = this;
    const isComplete = initial.length > 0;
    const world = { operations, partitions, timelines, dropped, isComplete };
    let found = checkReads(world);
    for (let trials = 0; found.doubts.length > 0 && trials < MAX_TRIALS; trials++) {
      for (const doubt of firstOfEach(partitions, found.doubts)) this.tryDoubt(doubt);
      found = checkReads(world);
    }
    return found;
  }

  private tryDoubt({ path, item, zxid }: Doubt): void {
    const partition = this.partitions.of(path);
    if (partition === undefined) return;
    this.tried.add(item);
    const before = item.zxid;
    item.isOptional = false;
    item.zxid ??= zxid;
    let found = search(partition, true);
    if (found.kind !== 'order') {
      item.isOptional = true;
      item.zxid = before;
      found = search(partition, true);
    }
    if (found.kind === 'order') this.follow(partition, found.order);
  }
}

function firstOfEach(partitions: Partitions, doubts: readonly Doubt[]): Iterable<Doubt> {
  const first = new Map<Partition | undefined, Doubt>();
  for (const doubt of doubts) {
    const partition = partitions.of(doubt.path);
    if (!first.has(partition)) first.set(partition, doubt);
  }
  return first.values();
}

function refusal(partition: Partition, found: Exclude<Found, { kind: 'order' }>): Verdict {
  const { operation } = found.at;
  const lines = [operation.start + 1, operation.end + 1].filter(Number.isFinite);
  const what = describe(operation);
  if (found.kind === 'undecided') {
    const message = `gave up at ${what}: too many orders are possible`;
    return { property: 'undecided', message, lines };
  }
  const last = lastOn(found.order, found.at);
  const after = last === undefined ? '' : `, the last before it: ${describe(last)}`;
  if (search(partition, false).kind === 'order') {
    const message = `the zxids contradict every order that explains ${what}${after}`;
    return { property: 'zxid-order', message, lines };
  }
  const now = found.at.parts.map(({ path = '/' }) => {
    const slot = partition.scope.slotOf(path);
    const znode = slot === undefined ? undefined : found.state.get(slot);
    if (znode === undefined) return `${path} is absent`;
    return `${path} is ${JSON.stringify(znode.data)} at version ${znode.version}`;
  });
  const message = `no order explains ${what}: ${now.join(', ')}${after}`;
  return { property: 'linearizability', message, lines };
}

function lastOn(order: readonly Item[], at: Item): Operation | undefined {
  const paths = new Set(at.parts.map(({ path }) => path));
  const last = order.findLast((item) => {
    return item.isMutating && item.parts.some(({ path }) => paths.has(path));
  });
  return last?.operation;
}
