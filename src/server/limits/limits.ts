/**
 * All limits of the server. A stage that enforces one reads its value here and reports it by name:
 * with `Reporter.limit`, or outside the core with `limit-exceeded`. docs/limits.md lists them.
 */
import { CLIENT_LIMITS } from './client-limits.js';
import type { ReportedLimit } from './limit.js';
import { OPERATOR_LIMITS } from './operator-limits.js';
import { PEER_LIMITS } from './peer-limits.js';

export const LIMITS = { ...CLIENT_LIMITS, ...OPERATOR_LIMITS, ...PEER_LIMITS };

type Table = typeof LIMITS;

export type LimitName = {
  [Name in keyof Table]: Table[Name] extends ReportedLimit ? Name : never;
}[keyof Table];
