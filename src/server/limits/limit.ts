export type LimitUnit =
  | 'bytes'
  | 'characters'
  | 'ms'
  | 'connections'
  | 'requests'
  | 'entries'
  | 'frames'
  | 'steps';

/**
 * The reaction of the server when a limit is exceeded:
 * - `pause`: stops reading from the connection until there is room
 * - `close`: closes the connection
 * - `refuse`: answers with an error, or does not accept; existing work continues
 * - `drop`: forgets the oldest or the newest entry
 */
export type LimitAction = 'pause' | 'close' | 'refuse' | 'drop';

export interface Limit {
  readonly value: number;
  readonly unit: LimitUnit;
  /** The zoo.cfg option or system property that sets it. */
  readonly key: string | null;
  readonly action: LimitAction;
  readonly what: string;
  readonly above: string;
  /** Why reaching it is not reported; null if it is. */
  readonly silence: string | null;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;

export interface ReportedLimit extends Limit {
  readonly silence: null;
}

export interface SilentLimit extends Limit {
  readonly silence: string;
}

export function limit(
  value: number,
  unit: LimitUnit,
  what: string,
  action: LimitAction,
  above: string,
  key: string | null = null,
): ReportedLimit {
  return { value, unit, key, action, what, above, silence: null };
}

/** @param silence why it need not be reported */
export function silent(one: ReportedLimit, silence: string): SilentLimit {
  return { ...one, silence };
}
