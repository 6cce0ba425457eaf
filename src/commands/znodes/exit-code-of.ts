import type { ZooKeeperErrorCode } from '../../client/base/errors.js';
import { ExitCode } from '../program/exit-status.js';

const STATUSES: Partial<Record<ZooKeeperErrorCode, number>> = {
  ECLOSED: ExitCode.connection,
  CONNECTIONLOSS: ExitCode.connection,
  OPERATIONTIMEOUT: ExitCode.connection,
  ETIMEDOUT: ExitCode.connection,
  SESSIONEXPIRED: ExitCode.connection,
  NONODE: ExitCode.noNode,
  NODEEXISTS: ExitCode.nodeExists,
  NOTEMPTY: ExitCode.notEmpty,
  BADVERSION: ExitCode.badVersion,
  NOAUTH: ExitCode.noAuth,
};

export function exitCodeOf(code: ZooKeeperErrorCode): number {
  return STATUSES[code] ?? ExitCode.failed;
}
