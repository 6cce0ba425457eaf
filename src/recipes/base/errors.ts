import { brand } from '../../base/brand.js';

/**
 * ELOST: the place in the line or the hold is lost, or may be. ETAKEN: the name is taken. EBADDATA:
 * the data of a znode do not come from this recipe.
 */
export type RecipeErrorCode = 'ELOST' | 'ETAKEN' | 'EBADDATA';

/**
 * An error of a recipe. Errors of a server, of a session, and of time are ZooKeeperErrors.
 * @example
 * const group = new Group(client, '/workers');
 * const error = await group.join('host-1', 'idle').catch((failure: unknown) => failure);
 * if (error instanceof RecipeError && error.code === 'ETAKEN') console.log('runs already');
 */
export class RecipeError extends Error {
  override readonly name = 'RecipeError';
  readonly code: RecipeErrorCode;
  readonly path: string | undefined;
  /** As that of a ZooKeeperError. */
  readonly hasUnknownOutcome: boolean = false;

  constructor(code: RecipeErrorCode, path: string | undefined, problem: string, cause?: unknown) {
    const place = path === undefined ? '' : `${path}: `;
    super(`${place}${problem}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

brand(RecipeError, 'RecipeError');
