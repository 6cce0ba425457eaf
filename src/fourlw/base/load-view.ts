/** What clients are grouped by. A path stands for the znodes below it, too. */
export const LOAD_KINDS = ['path', 'session', 'address', 'user'] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

export interface LoadFigures {
  readonly requestsPerSecond: number;
  /** Of requests and replies. */
  readonly bytesPerSecond: number;
  readonly watches: number;
}

export interface LoadRow extends LoadFigures {
  readonly by: LoadKind;
  readonly name: string;
}

export interface LoadView {
  /** The time that the rates are of. */
  readonly seconds: number;
  readonly total: LoadFigures;
  /** Those with a notable share of any figure. */
  readonly rows: readonly LoadRow[];
}
