/** The process must end, because a wrong answer is worse than none. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly code = 'EINVARIANT';
}

/** Also enabled in production. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}
