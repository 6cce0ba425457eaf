/** Where a figure comes from. Keys and summaries are those of mntr, without `zk_`. */
export type Reading =
  /** The value as it stands. */
  | { readonly kind: 'gauge'; readonly key: string }
  /** Percent of another value. */
  | { readonly kind: 'ratio'; readonly key: string; readonly of: string }
  /** What a counter grew by since the last look; without an earlier look there is no figure. */
  | { readonly kind: 'increase'; readonly key: string }
  /** Sum by count, of what happened since the last look; without one, since the server's start. */
  | { readonly kind: 'mean'; readonly summary: string }
  /** What a summary's sum grows by in a second; without an earlier look there is no figure. */
  | { readonly kind: 'rate'; readonly summary: string }
  /** The 99th percentile of a summary. */
  | { readonly kind: 'p99'; readonly summary: string }
  /** Txns behind the newest serving member of the same epoch. */
  | { readonly kind: 'lag' }
  /** Percent of the zxid's 32-bit counter that is used up. */
  | { readonly kind: 'zxid-used' }
  /** Days until the counter of the zxid is used up, at the rate since the last look. */
  | { readonly kind: 'zxid-days' }
  /** Days until the certificate of the port asked runs out. */
  | { readonly kind: 'certificate-days' };

export type ThresholdRole = 'leader' | 'follower' | 'observer' | 'standalone';

export interface Threshold {
  /** As `--warn` and `--crit` call it. */
  readonly name: string;
  readonly reading: Reading;
  /** Which side of the limit is the bad one; the limit itself is good. */
  readonly bound: 'above' | 'below';
  readonly warning: number | undefined;
  readonly critical: number | undefined;
  readonly unit: '' | 'ms' | 'ms/s' | 'bytes' | '%' | 'txns' | 'days';
  /** Only members of these roles are measured; all, where none is named. */
  readonly roles?: readonly ThresholdRole[];
  /** What is measured, as the start of a sentence: `requests waiting in its queue`. */
  readonly says: string;
  /** What to do, as a sentence without its end. */
  readonly advice: string;
  /** Who publishes the limits, or what they were taken from. */
  readonly source: string;
}
