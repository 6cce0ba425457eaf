/**
 * ETIMEDOUT: the timeout is over. ELOST: the place in the line or the hold is lost, or may be.
 * ETAKEN: the name is taken. EBADDATA: the data of a znode do not come from this recipe.
 */
export type RecipeErrorCode = 'ETIMEDOUT' | 'ELOST' | 'ETAKEN' | 'EBADDATA';

/**
 * An error of a recipe; errors of a server or a session are ZooKeeperErrors.
 * @example
 * const lock = new Lock(client, '/locks/report');
 * const error = await lock.acquire({ timeoutMs: 10 }).catch((failure: unknown) => failure);
 * if (error instanceof RecipeError && error.code === 'ETIMEDOUT') console.log('busy');
 */
export class RecipeError extends Error {
  override readonly name = 'RecipeError';
  readonly code: RecipeErrorCode;

  constructor(code: RecipeErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
