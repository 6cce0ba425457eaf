import {
  checkFunction,
  checkOneOf,
  checkText,
  checkWhole,
  readFields,
  wrongType,
} from '../../protocol/check-argument.js';
import type { Instance, ServiceCache } from './service-cache.js';

/**
 * How a provider chooses: each instance in turn, any of them, or always the same one, until it is
 * gone or down.
 */
export type ProviderStrategy = 'round-robin' | 'random' | 'sticky';

/** When a failed instance counts as down, and for how long. */
export interface DownPolicy {
  /** The number of errors that makes an instance down. Default 2. */
  readonly errors?: number | undefined;
  /** Only errors within this time count. Default 30000. */
  readonly withinMs?: number | undefined;
  /** An instance is left out for this time. Default 30000. */
  readonly forMs?: number | undefined;
}

export interface ServiceProviderOptions {
  /** Default 'round-robin'. */
  readonly strategy?: ProviderStrategy | undefined;
  /** When an instance that failed is left out. */
  readonly down?: DownPolicy | undefined;
  /** Which instances may be chosen, for example those that are enabled. Default: all. */
  readonly filter?: ((instance: Instance) => boolean) | undefined;
}

const STRATEGIES = ['round-robin', 'random', 'sticky'] as const;
const DEFAULTS = { errors: 2, withinMs: 30_000, forMs: 30_000 };
const LONGEST_MS = Number.MAX_SAFE_INTEGER;

/** The reported errors of one instance. */
interface Health {
  /** The times of errors that may still count, the oldest first. */
  errorsAt: number[];
  /** It is left out until then. */
  downUntil: number;
}

/**
 * Chooses an instance of a service for each call, from a ServiceCache, as Curator's
 * ServiceProvider. Nothing here sends a request, so the choice is as fresh as the cache. An
 * instance that fails often is left out for a while; the provider keeps that to itself, and an
 * instance that comes back under the same id stays left out.
 * @example
 * const cache = await ServiceCache.open(client, '/services');
 * const provider = new ServiceProvider(cache, 'web', { strategy: 'random' });
 * const instance = provider.next();
 * if (instance !== undefined) {
 *   await fetch(`http://${instance.data}`).catch(() => provider.failed(instance));
 * }
 */
export class ServiceProvider {
  private readonly cache: ServiceCache;
  private readonly service: string;
  private readonly strategy: ProviderStrategy;
  private readonly down: Readonly<Record<keyof DownPolicy, number>>;
  private readonly filter: (instance: Instance) => boolean;
  /** By id; only of instances that failed lately. */
  private readonly health = new Map<string, Health>();
  /** The id that next() returned last. */
  private last: string | undefined;

  /**
   * @param cache close it yourself
   * @throws TypeError, RangeError
   */
  constructor(cache: ServiceCache, service: string, options: ServiceProviderOptions = {}) {
    if (!isCache(cache)) throw wrongType('cache', cache, 'a ServiceCache');
    const {
      strategy = 'round-robin',
      down = {},
      filter = () => true,
    } = readFields('options', options, ['strategy', 'down', 'filter']);
    this.cache = cache;
    this.service = checkText('service', service);
    this.strategy = checkOneOf('options.strategy', strategy, STRATEGIES);
    this.down = checkDown(down);
    checkFunction('options.filter', filter);
    this.filter = filter;
  }

  /**
   * The instance for the next call; undefined if the service has no instance, or if all are down.
   * @throws the exceptions of the filter
   */
  next(): Instance | undefined {
    const instances = this.instances();
    const chosen = instances[this.choose(instances)];
    this.last = chosen?.id ?? this.last;
    return chosen;
  }

  /** The instances that next() chooses from, sorted by id: those that are not down. */
  instances(): readonly Instance[] {
    const now = performance.now();
    return this.cache
      .instances(this.service)
      .filter((each) => (this.health.get(each.id)?.downUntil ?? now) <= now && this.filter(each));
  }

  /** Reports an error of an instance. @param instance or its id */
  failed(instance: Instance | string): void {
    const id =
      typeof instance === 'string'
        ? checkText('instance', instance)
        : checkText('instance.id', readFields('instance', instance, ['id'], 'any').id);
    const { errors, forMs } = this.down;
    const now = performance.now();
    this.forget(now);
    const health = this.health.get(id) ?? { errorsAt: [], downUntil: now };
    health.errorsAt.push(now);
    if (health.errorsAt.length >= errors) {
      health.errorsAt = [];
      health.downUntil = now + forMs;
    }
    this.health.set(id, health);
  }

  private choose(instances: readonly Instance[]): number {
    const any = Math.floor(Math.random() * instances.length);
    if (this.strategy === 'random') return any;
    const { last } = this;
    if (this.strategy === 'sticky') {
      const same = instances.findIndex(({ id }) => id === last);
      return same === -1 ? any : same;
    }
    // Ids and no index, so that instances that come and go do not repeat or skip others.
    const next = last === undefined ? any : instances.findIndex(({ id }) => id > last);
    return Math.max(next, 0);
  }

  /** Drops what does not count any more. */
  private forget(now: number): void {
    for (const [id, health] of this.health) {
      health.errorsAt = health.errorsAt.filter((at) => at > now - this.down.withinMs);
      if (health.errorsAt.length === 0 && health.downUntil <= now) this.health.delete(id);
    }
  }
}

/** Also of another copy of this package. */
function isCache(cache: ServiceCache): boolean {
  try {
    return typeof cache === 'object' && typeof cache.instances === 'function';
  } catch {
    return false;
  }
}

function checkDown(given: DownPolicy): Readonly<Record<keyof DownPolicy, number>> {
  const down = readFields('options.down', given, ['errors', 'withinMs', 'forMs']);
  const { errors = DEFAULTS.errors, withinMs = DEFAULTS.withinMs, forMs = DEFAULTS.forMs } = down;
  return {
    errors: checkWhole('options.down.errors', errors, 1),
    withinMs: checkWhole('options.down.withinMs', withinMs, 1, LONGEST_MS),
    forMs: checkWhole('options.down.forMs', forMs, 1, LONGEST_MS),
  };
}
