/**
 * All limits that protect a resource of the server, by name. A stage that enforces one reads its
 * value here and reports it by that name: through `Reporter.limit` in the core, or the event
 * `limit-exceeded` outside. docs/limits.md lists the same rows.
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
