import type { AdminView } from './admin-view.js';
import type { JsonObject } from './json.js';

export interface AdminRequest {
  readonly query: ReadonlyMap<string, string>;
  /** Of a POST, as text. */
  readonly body: string;
}

export interface AdminResult {
  readonly fields: JsonObject;
  readonly error?: string;
  /** 200 when absent: with Apache's an error is no reason for another one. */
  readonly status?: number;
}

/** One command of the AdminServer. Source of names and fields: Apache's Commands.java. */
export interface AdminCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  /** What Apache takes; a command that takes GET takes POST, too. */
  readonly method: 'GET' | 'POST';
  /** Answered while the server does not serve? */
  readonly isAlwaysAnswered?: boolean;
  /** It changes something, so that a page of another site must not ask for it. */
  readonly isChange?: boolean;
  /** Asks for `Authorization: digest user:password` and every permission on "/". */
  readonly isGuarded?: boolean;
  /** Undefined where the data is no JSON: the HTTP side does those itself. */
  readonly run?: (admin: AdminView, request: AdminRequest) => AdminResult;
}

export function fields(object: JsonObject): AdminResult {
  return { fields: object };
}

export function failure(error: string, status?: number): AdminResult {
  return { fields: {}, error, ...(status === undefined ? {} : { status }) };
}
