/**
 * A token bucket for new sessions with the Blue algorithm (BlueThrottle): the drop chance grows
 * while the bucket is empty. A refused client is closed without an answer and tries another server.
 */
export interface ConnectionThrottleOptions {
  /** Size of the bucket; 0: no throttle. */
  readonly tokens: number;
  readonly fillTimeMs: number;
  readonly fillCount: number;
  /** Time between two changes of the drop chance; -1: no drop chance. */
  readonly freezeTimeMs: number;
  readonly dropIncrease: number;
  readonly dropDecrease: number;
  /** The drop chance shrinks while at most this fraction of the bucket is missing. */
  readonly decreaseRatio: number;
  /** Cost by type of session; without weights each session costs one token. */
  readonly weights: SessionWeights | null;
}

export interface SessionWeights {
  readonly global: number;
  readonly renew: number;
  readonly local: number;
}

const DEFAULT_WEIGHTS: SessionWeights = { global: 3, renew: 2, local: 1 };

/** Replaces invalid weights like Apache's server: by a default, or that of a local session. */
export function soundWeights({ global, renew, local }: SessionWeights): SessionWeights {
  const atLeastLocal = (weight: number, fallback: number): number =>
    weight <= 0 ? fallback : Math.max(weight, local);
  return {
    global: atLeastLocal(global, DEFAULT_WEIGHTS.global),
    renew: atLeastLocal(renew, DEFAULT_WEIGHTS.renew),
    local: local <= 0 ? DEFAULT_WEIGHTS.local : local,
  };
}

export class ConnectionThrottle {
  private readonly options: ConnectionThrottleOptions;
  private readonly random: () => number;
  private readonly maxTokens: number;
  private readonly fillCount: number;
  private tokens: number;
  private filledMs: number;
  private frozenMs: number;
  private chance = 0;

  /** @param random returns a number from 0 to below 1, like Math.random */
  constructor(options: ConnectionThrottleOptions, nowMs: number, random: () => number) {
    // The configured size is for global sessions: weights enlarge the bucket by the weight of one.
    const scale = options.weights?.global ?? 1;
    this.options = options;
    this.random = random;
    this.maxTokens = options.tokens * scale;
    this.fillCount = options.fillCount * scale;
    this.tokens = this.maxTokens;
    this.filledMs = nowMs;
    this.frozenMs = nowMs;
  }

  /** The chance, 0 to 1, that a client is refused (mntr's connection_drop_probability). */
  get dropChance(): number {
    return this.chance;
  }

  get deficit(): number {
    return this.maxTokens - this.tokens;
  }

  admit(kind: keyof SessionWeights, nowMs: number): boolean {
    if (this.maxTokens === 0) return true;
    this.fill(nowMs);
    if (this.options.freezeTimeMs !== -1 && this.isDropped(nowMs)) return false;
    const { weights } = this.options;
    const cost = weights === null ? 1 : weights[kind];
    if (this.tokens < cost) return false;
    this.tokens -= cost;
    return true;
  }

  private fill(nowMs: number): void {
    const { fillTimeMs } = this.options;
    const passedMs = nowMs - this.filledMs;
    if (passedMs <= fillTimeMs) return;
    const filled = Math.trunc((passedMs * this.fillCount) / Math.max(1, fillTimeMs));
    this.tokens = Math.min(this.tokens + filled, this.maxTokens);
    this.filledMs = nowMs;
  }

  private isDropped(nowMs: number): boolean {
    const { freezeTimeMs, dropIncrease, dropDecrease, decreaseRatio } = this.options;
    if (nowMs - this.frozenMs > freezeTimeMs) {
      const isEnough = this.deficit <= Math.round(this.maxTokens * decreaseRatio);
      if (this.tokens === 0) this.chance = Math.min(this.chance + dropIncrease, 1);
      else if (isEnough) this.chance = Math.max(this.chance - dropDecrease, 0);
      this.frozenMs = nowMs;
    }
    return this.random() < this.chance;
  }
}
