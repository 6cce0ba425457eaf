import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { ErrorCode, type ErrorName } from '../../../src/protocol/error-code.js';

export function fault(code: ErrorName, path: string): ZooKeeperError {
  return new ZooKeeperError(ErrorCode[code], path);
}

export function checkVersion(expected: number, actual: number, path: string): void {
  if (expected !== -1 && expected !== actual) throw fault('BADVERSION', path);
}
