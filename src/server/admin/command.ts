import type { AdminView } from './admin-view.js';
import type { LongFields } from './json.js';

export interface AdminRequest {
  readonly query: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface AdminResult {
  readonly fields: LongFields;
  readonly error?: string;
  /** Default: 200. In Apache's server most errors have status 200, too. */
  readonly status?: number;
}

/** Source of names and fields: Apache's Commands.java. */
export interface AdminCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The method in Apache's server; GET commands accept POST, too. */
  readonly method: 'GET' | 'POST';
  /** Whether it is answered while the server does not serve. */
  readonly isAlwaysAnswered?: boolean;
  /** A page of another site must not be able to call it. */
  readonly isChange?: boolean;
  /** Requires an `Authorization` header, and every permission on "/". */
  readonly isGuarded?: boolean;
  /** Undefined if a whole tree moves: the HTTP side handles those commands. */
  readonly run?: (admin: AdminView, request: AdminRequest) => AdminResult;
}

export function fields(values: LongFields): AdminResult {
  return { fields: values };
}

export function failure(error: string, status?: number): AdminResult {
  return { fields: {}, error, ...(status === undefined ? {} : { status }) };
}
