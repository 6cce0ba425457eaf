/** The source of a value. Keys and summaries are those of mntr, without `zk_`. */
export type Reading =
  | { readonly kind: 'gauge'; readonly key: string }
  /**
   * Since the last poll: `max_…` if it grew, because it lasts until a restart, or else `last_…`.
   */
  | { readonly kind: 'peak'; readonly summary: string }
  /** Percent of another value. */
  | { readonly kind: 'ratio'; readonly key: string; readonly of: string }
  /** Since the last poll; undefined without one. */
  | { readonly kind: 'increase'; readonly key: string }
  /** Sum by count since the last poll, or else since the start of the server. */
  | { readonly kind: 'mean'; readonly summary: string }
  /** The increase of the sum per second; undefined without an earlier poll. */
  | { readonly kind: 'rate'; readonly summary: string }
  | { readonly kind: 'p99'; readonly summary: string }
  /** Txns to the newest serving member of the same epoch. */
  | { readonly kind: 'lag' }
  /** Percent of the zxid's 32-bit counter in use. */
  | { readonly kind: 'zxid-used' }
  /** Days until the counter of the zxid runs out, at the rate since the last poll. */
  | { readonly kind: 'zxid-days' }
  | { readonly kind: 'certificate-days' };

export type ThresholdRole = 'leader' | 'follower' | 'observer' | 'standalone';

export interface Threshold {
  /** In `--warn` and `--crit`. */
  readonly name: string;
  readonly reading: Reading;
  /** The bad side of the limit; the limit itself is good. */
  readonly bound: 'above' | 'below';
  readonly warning: number | undefined;
  readonly critical: number | undefined;
  readonly unit: '' | 'ms' | 'ms/s' | 'bytes' | '%' | 'txns' | 'days';
  /** Without roles, the limit is for all members. */
  readonly roles?: readonly ThresholdRole[];
  /** The value as the start of a sentence: `requests waiting in its queue`. */
  readonly label: string;
  /** What to do, as a sentence without a period. */
  readonly advice: string;
  /** The publisher of the limits, or their derivation. */
  readonly source: string;
}
