/**
 * Every limit and deadline of the server that protects a resource, by name. A stage that enforces
 * one reads its value here and reports it by that name when it is exceeded: `Reporter.limit` in the
 * core, the event `limit-exceeded` outside of it; a row that is never reported says why. The test
 * of this table looks for each report. docs/limits.md lists the same rows.
 */
import { CLIENT_LIMITS } from './client-limits.js';
import type { ReportedLimit } from './limit.js';
import { OPERATOR_LIMITS } from './operator-limits.js';
import { PEER_LIMITS } from './peer-limits.js';

export const LIMITS = { ...CLIENT_LIMITS, ...OPERATOR_LIMITS, ...PEER_LIMITS };

type Table = typeof LIMITS;

/** Of those that are reported: one that has a reason for its silence cannot be. */
export type LimitName = {
  [Name in keyof Table]: Table[Name] extends ReportedLimit ? Name : never;
}[keyof Table];
