import type { ErrorName } from '../../protocol/error-code.js';
import { ExitCode } from '../program/command-error.js';

const EXIT_CODES: Partial<Record<ErrorName, ExitCode>> = {
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

export function exitCodeOf(code: ErrorName): ExitCode {
  return EXIT_CODES[code] ?? ExitCode.failed;
}
