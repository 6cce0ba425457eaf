import type { ErrorName } from '../../protocol/error-code.js';
import { ExitCode } from '../program/exit-status.js';

const STATUSES: Partial<Record<ErrorName, number>> = {
  CONNECTIONLOSS: ExitCode.connection,
  OPERATIONTIMEOUT: ExitCode.connection,
  REQUESTTIMEOUT: ExitCode.connection,
  SESSIONEXPIRED: ExitCode.connection,
  NONODE: ExitCode.noNode,
  NODEEXISTS: ExitCode.nodeExists,
  NOTEMPTY: ExitCode.notEmpty,
  BADVERSION: ExitCode.badVersion,
  NOAUTH: ExitCode.noAuth,
};

export function exitCodeOf(code: ErrorName): number {
  return STATUSES[code] ?? ExitCode.failed;
}
