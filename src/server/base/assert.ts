/** A broken invariant: the process must end, since a wrong answer is worse than none. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly code = 'EINVARIANT';
}

/** On in production. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}
