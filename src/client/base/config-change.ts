/** A change of the members of an ensemble: `joining` and `leaving`, or all `members`. */
export interface ConfigChange {
  /** "server.4=host:2888:3888;2181,…": members to add or to replace. */
  readonly joining?: string;
  /** "4,5": the ids of members to remove. */
  readonly leaving?: string;
  /** All members of the new configuration, as lines of zoo.cfg, separated by commas. */
  readonly members?: string;
  /** The expected version of the config, -1n for any. */
  readonly fromConfig?: bigint;
}
