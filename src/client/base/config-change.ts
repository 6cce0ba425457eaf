/** A change of the members of an ensemble: `joining` and `leaving`, or all `members`. */
export interface ConfigChange {
  /** "server.4=host:2888:3888;2181,…": members to add or to replace. */
  readonly joining?: string | undefined;
  /** "4,5": the ids of members to remove. */
  readonly leaving?: string | undefined;
  /** All members of the new configuration, as lines of zoo.cfg, separated by commas. */
  readonly members?: string | undefined;
  /** The expected version of the config, -1n for any. */
  readonly fromConfig?: bigint | undefined;
}
