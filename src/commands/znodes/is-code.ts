import { ZooKeeperError } from '../../client/base/errors.js';
import type { ErrorName } from '../../protocol/error-code.js';

export function isCode(error: unknown, code: ErrorName): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
