/**
 * What a turn costs beyond the bytes of its requests, in steps of some 0.1 us: a znode that is
 * visited, an entry of an ACL that is compared, a watch that is dropped.
 */
export class Work {
  /** Steps taken in this turn. */
  steps = 0;
}

/** Bytes of a name or path that are copied in one step. */
export const BYTES_PER_STEP = 64;
