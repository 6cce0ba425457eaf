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

/**
 * Also enabled in production. The figures are formatted only if it fails, so it costs no string.
 * @param what begins with the class of the invariant, as in "zxid order: …"
 */
export function assert(
  condition: boolean,
  what: string,
  figure?: bigint | number | string | null,
  other?: bigint | number | string | null,
): asserts condition {
  if (!condition) throw new InvariantError(what + shown(figure, ': ') + shown(other, ' and '));
}

function shown(figure: bigint | number | string | null | undefined, before: string): string {
  if (figure === undefined) return '';
  return before + (typeof figure === 'bigint' ? `0x${figure.toString(16)}` : String(figure));
}
