/**
 * Linearizability of one partition: the search of Wing and Gong, in Lowe's just-in-time form. It
 * visits the completions in order and keeps every configuration that explains them: a state, and
 * the open operations that have taken effect. Equal configurations are kept once. So the number of
 * open operations bounds the memory, not the length of the history.
 */

import type { Item } from './items.js';
import { apply } from './model.js';
import type { Partition } from './partition.js';
import type { State } from './state.js';

interface Link {
  readonly item: Item;
  readonly before: Link | undefined;
}

interface Config {
  readonly state: State;
  /** Sorted indexes of `items`: open operations that have taken effect, or never will. */
  readonly done: readonly number[];
  readonly zxid: bigint;
  readonly link: Link | undefined;
  /** Number of optional items that took effect. */
  readonly optionals: number;
}

export type Found =
  | { readonly kind: 'order'; readonly order: readonly Item[] }
  | { readonly kind: 'none'; readonly at: Item; readonly order: readonly Item[]; state: State }
  | { readonly kind: 'undecided'; readonly at: Item };

/** The search gives up at this number of configurations. */
const MAX_CONFIGS = 20_000;

/**
 * First prefers the fewest operations of unknown outcome at each step, which is fast and finds an
 * order in nearly every valid history. Then tries every order.
 * @param isByZxid whether the order must also be that of the known zxids
 */
export function search(partition: Partition, isByZxid: boolean): Found {
  const found = new Search(partition, isByZxid, true).run();
  const isInDoubt = partition.items.some(({ isOptional }) => isOptional);
  if (found.kind === 'order' || !isInDoubt) return found;
  return new Search(partition, isByZxid, false).run();
}

class Search {
  private readonly partition: Partition;
  private readonly isByZxid: boolean;
  private readonly isFrugal: boolean;
  private readonly items: readonly Item[];
  /** Open items, in program order of each session. */
  private pending: number[] = [];
  private explored = 0;

  constructor(partition: Partition, isByZxid: boolean, isFrugal: boolean) {
    this.partition = partition;
    this.isByZxid = isByZxid;
    this.isFrugal = isFrugal;
    this.items = [...partition.items].sort((a, b) => a.start - b.start || a.place - b.place);
  }

  run(): Found {
    const { items } = this;
    const byEnd = items.map((_, i) => i).sort((a, b) => compareEnds(this.item(a), this.item(b)));
    let admitted = 0;
    let configs: readonly Config[] = [
      { state: this.partition.initial, done: [], zxid: -1n, link: undefined, optionals: 0 },
    ];
    for (const at of byEnd) {
      const item = this.item(at);
      if (item.end === Infinity && item.isOptional) continue;
      for (; admitted < items.length && this.item(admitted).start < item.end; admitted++) {
        this.pending.push(admitted);
      }
      this.explored = 0;
      const next = this.complete(configs, at);
      if (next === undefined) return { kind: 'undecided', at: item };
      if (next.length === 0) return this.refuse(configs, item);
      configs = next;
      this.pending = this.pending.filter((open) => open !== at);
    }
    const best = configs.reduce((a, b) => (b.optionals < a.optionals ? b : a));
    return { kind: 'order', order: orderOf(best.link) };
  }

  private item(at: number): Item {
    return this.items[at] as Item;
  }

  private refuse(configs: readonly Config[], at: Item): Found {
    const [first] = configs as [Config];
    const settled = this.settle(first);
    return { kind: 'none', at, order: orderOf(settled.link), state: settled.state };
  }

  /** All configurations in which `at` has taken effect; undefined if there are too many. */
  private complete(configs: readonly Config[], at: number): readonly Config[] | undefined {
    const found = new ConfigSet();
    const { isOptional } = this.item(at);
    const open: Config[] = [];
    for (const config of configs) {
      if (config.done.includes(at)) found.add(without(config, at));
      else open.push(config);
    }
    if (isOptional) for (const config of open) found.add(config);
    const inDoubt = this.pending.filter((i) => this.item(i).isOptional).length;
    const least = this.isFrugal ? Number(isOptional) : inDoubt;
    const most = this.isFrugal && isOptional ? least : inDoubt;
    for (let budget = least; budget <= most; budget++) {
      for (const config of open) {
        if (!this.expand(config, at, found, config.optionals + budget)) return undefined;
      }
      if (found.size > 0) break;
    }
    return found.size > MAX_CONFIGS ? undefined : found.values();
  }

  private expand(from: Config, at: number, found: ConfigSet, mostOptionals: number): boolean {
    const visited = new ConfigSet();
    const stack = [this.settle(from)];
    for (let config = stack.pop(); config !== undefined; config = stack.pop()) {
      if (config.done.includes(at)) {
        found.add(without(config, at));
        continue;
      }
      if (!visited.add(config)) continue;
      if (++this.explored > MAX_CONFIGS) return false;
      for (let i = this.pending.length - 1; i >= 0; i--) {
        const next = this.linearize(config, this.pending[i] as number);
        if (next === undefined || next.optionals > mostOptionals) continue;
        stack.push(this.settle(next));
      }
    }
    return true;
  }

  /**
   * An operation that changes nothing takes effect as soon as possible. This is safe unless it
   * skips an earlier operation of unknown outcome.
   */
  private settle(config: Config): Config {
    let settled = config;
    for (let isChanged = true; isChanged; ) {
      isChanged = false;
      for (const at of this.pending) {
        if (this.item(at).isMutating) continue;
        const next = this.linearize(settled, at);
        if (next === undefined || next.done.length > settled.done.length + 1) continue;
        settled = next;
        isChanged = true;
      }
    }
    return settled;
  }

  private linearize(config: Config, at: number): Config | undefined {
    const item = this.item(at);
    if (config.done.includes(at) || !this.isInTurn(config, item)) return undefined;
    const skipped = this.skippedBy(config, at);
    if (skipped === undefined) return undefined;
    const state = apply(this.partition.scope, config.state, item);
    if (state === undefined) return undefined;
    return {
      state,
      done: [...config.done, ...skipped, at].sort((a, b) => a - b),
      zxid: item.isMutating ? (item.zxid ?? config.zxid) : config.zxid,
      link: { item, before: config.link },
      optionals: config.optionals + Number(item.isOptional),
    };
  }

  /** Its zxid follows the earlier ones, and no open operation has a zxid in between. */
  private isInTurn(config: Config, item: Item): boolean {
    const { zxid } = item;
    if (!this.isByZxid || zxid === undefined) return true;
    // A read may have started long before a write that its reply covers.
    if (item.kind === 'read') return zxid >= config.zxid;
    if (zxid <= config.zxid) return false;
    return !this.pending.some((open) => {
      const other = this.item(open);
      const isEarlier = other !== item && other.zxid !== undefined && other.zxid < zxid;
      return isEarlier && !other.isOptional && !config.done.includes(open);
    });
  }

  /**
   * Open operations of the same session before it: those with a known outcome must have taken
   * effect, the others never will. Undefined if an operation blocks it.
   */
  private skippedBy(config: Config, at: number): number[] | undefined {
    const item = this.item(at);
    const isRefused = item.kind === 'write' && !item.isMutating;
    const skipped: number[] = [];
    for (const open of this.pending) {
      const other = this.item(open);
      if (other.operation.session !== item.operation.session) continue;
      if (other.place >= item.place || config.done.includes(open)) continue;
      // A leader may refuse a write while an earlier read still waits at the session's server.
      if (isRefused && other.kind === 'read') continue;
      if (!other.isOptional) return undefined;
      skipped.push(open);
    }
    return skipped;
  }
}

function compareEnds(a: Item, b: Item): number {
  if (a.end === b.end) return a.place - b.place;
  return a.end < b.end ? -1 : 1;
}

function without(config: Config, at: number): Config {
  return { ...config, done: config.done.filter((open) => open !== at) };
}

function orderOf(link: Link | undefined): Item[] {
  const order: Item[] = [];
  for (let at = link; at !== undefined; at = at.before) order.push(at.item);
  return order.reverse();
}

/** A set of configurations. Of equal ones, it keeps the one with the fewest optional items. */
class ConfigSet {
  private readonly byKey = new Map<string, Config[]>();
  size = 0;

  /** @returns whether it is new */
  add(config: Config): boolean {
    const key = `${config.done.join()} ${config.state.hash} ${config.zxid}`;
    const same = this.byKey.get(key) ?? [];
    const place = same.findIndex(({ state }) => state.equals(config.state));
    const known = same[place];
    if (known !== undefined) {
      if (config.optionals < known.optionals) same[place] = config;
      return false;
    }
    this.byKey.set(key, [...same, config]);
    this.size++;
    return true;
  }

  values(): Config[] {
    return [...this.byKey.values()].flat();
  }
}
