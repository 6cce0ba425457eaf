/** The process must end, because a wrong answer is worse than none. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly code = 'EINVARIANT';
}

/** A change was begun and not completed: nobody can say what the rest of it would have done. */
export function halfDone(error: unknown): InvariantError {
  if (error instanceof InvariantError) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new InvariantError(`a change was not completed: ${problem}`, { cause: error });
}

/** Also enabled in production. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new InvariantError(what);
}
