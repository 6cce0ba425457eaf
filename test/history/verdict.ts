/** Something that cannot have happened on a service that keeps ZooKeeper's promises. */
export interface Verdict {
  readonly property:
    | 'format'
    | 'linearizability'
    | 'zxid-order'
    | 'session-order'
    | 'read'
    | 'watch'
    | 'sequence'
    | 'lock'
    /** The search was given up: neither right nor wrong. */
    | 'undecided';
  /** A sentence that names the operations. */
  readonly message: string;
  /** Of the history, from 1. */
  readonly lines: readonly number[];
}
