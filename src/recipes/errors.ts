/**
 * ETIMEDOUT: what was waited for did not come in the time given. ELOST: the place in the line, or
 * what was held, is gone or may be gone. ETAKEN: the name belongs to someone else. EBADDATA: a
 * znode holds what the recipe cannot have written.
 */
export type RecipeErrorCode = 'ETIMEDOUT' | 'ELOST' | 'ETAKEN' | 'EBADDATA';

/** What a recipe fails with by itself; what a server or a session says is a ZooKeeperError. */
export class RecipeError extends Error {
  override readonly name = 'RecipeError';
  readonly code: RecipeErrorCode;

  constructor(code: RecipeErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
