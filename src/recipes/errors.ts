/**
 * ETIMEDOUT: the turn did not come in the time given. ELOST: the place in the queue, or what was
 * held, is gone or may be gone.
 */
export type RecipeErrorCode = 'ETIMEDOUT' | 'ELOST';

/** What a recipe fails with by itself; what a server or a session says is a ZooKeeperError. */
export class RecipeError extends Error {
  override readonly name = 'RecipeError';
  readonly code: RecipeErrorCode;

  constructor(code: RecipeErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
