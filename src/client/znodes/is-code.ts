import type { ErrorName } from '../../protocol/error-code.js';
import { ZooKeeperError } from '../base/errors.js';

export function isCode(error: unknown, code: ErrorName): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
