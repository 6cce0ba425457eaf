import type { Problem } from '../api/shapes.js';

const BASE = '/api/v1';

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ status, code, detail, hint }: Problem) {
    super(detail);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function urlOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(given).toString();
  return `${BASE}${path}${text === '' ? '' : `?${text}`}`;
}

export interface Sent {
  readonly method?: 'PUT' | 'POST' | 'DELETE';
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** The expected version, for If-Match. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

/** @throws ApiProblem; TypeError if the console does not answer */
export async function ask<T>(path: string, query: Query = {}, sent: Sent = {}): Promise<T> {
  const { version, ...rest } = sent;
  const headers = version === undefined ? {} : { 'if-match': `"${version}"` };
  const response = await fetch(urlOf(path, query), { ...rest, headers });
  const value = await response.json();
  if (!response.ok) throw new ApiProblem(value);
  return value;
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiProblem) {
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
  return error instanceof TypeError ? 'the console does not answer' : String(error);
}
