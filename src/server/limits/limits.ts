/**
 * Every limit and deadline of the server that protects a resource, by name. A stage that enforces
 * one reads its value here and reports it by that name when it is exceeded: `Reporter.limit` in the
 * core, the event `limit-exceeded` outside of it. docs/limits.md lists the same rows.
 */
import { CLIENT_LIMITS } from './client-limits.js';
import { OPERATOR_LIMITS } from './operator-limits.js';
import { PEER_LIMITS } from './peer-limits.js';

export const LIMITS = { ...CLIENT_LIMITS, ...OPERATOR_LIMITS, ...PEER_LIMITS };

export type LimitName = keyof typeof LIMITS;
