export type LimitUnit = 'bytes' | 'ms' | 'connections' | 'requests' | 'entries' | 'frames';

/**
 * What the server does with the one who exceeds it:
 * - `pause`: reads no more from the connection until there is room
 * - `close`: closes the connection
 * - `refuse`: answers with an error, or does not accept; what is already there goes on
 * - `drop`: forgets the oldest or the newest of the things that are limited
 */
export type LimitAction = 'pause' | 'close' | 'refuse' | 'drop';

export interface Limit {
  readonly value: number;
  readonly unit: LimitUnit;
  /** The option of zoo.cfg or the system property that sets it, or null. */
  readonly key: string | null;
  readonly action: LimitAction;
  /** What is limited. */
  readonly what: string;
  /** What happens above it. */
  readonly above: string;
  /** Why it is not reported when it is reached; null where it is reported. */
  readonly silence: string | null;
}

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** A limit that is reported by its name when it is exceeded. */
export interface ReportedLimit extends Limit {
  readonly silence: null;
}

/** A bound of normal operation, which refuses nothing that anybody waits for. */
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

/** @param silence why nobody needs to hear that it is reached */
export function silent(one: ReportedLimit, silence: string): SilentLimit {
  return { ...one, silence };
}
