/** A result that is impossible on a correct ZooKeeper service. */
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
    /** The search gave up, without a result. */
    | 'undecided';
  /** One sentence that names the operations. */
  readonly message: string;
  /** Lines of the history, from 1. */
  readonly lines: readonly number[];
}
