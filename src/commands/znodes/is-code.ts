import { ZooKeeperError } from '../../client/base/errors.js';
import type { ErrorName } from '../../protocol/error-code.js';

/** Whether it is this error of the server. */
export function isCode(error: unknown, code: ErrorName): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
