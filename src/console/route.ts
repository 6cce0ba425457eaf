/** Routes of the API as data. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonSchema, Schema, ValueOf } from './api/schema.js';
import type { AtOnce } from './at-once.js';
import { badRequest } from './problem.js';
import type { Services } from './services.js';

export const API = '/api/v1';
/** Below jute.maxbuffer, with a path: a server drops the shared session's connection for more. */
export const MAX_VALUE_LENGTH = 1_000_000;

type Params = Readonly<Record<string, Schema<string> | Schema<number> | Schema<boolean>>>;

type Given<R extends Params, O extends Params> = {
  readonly [Key in keyof R]: ValueOf<R[Key]>;
} & { readonly [Key in keyof O]: ValueOf<O[Key]> | undefined };

export interface ApiCall {
  readonly request: IncomingMessage;
  /** Only for streams; other routes return their answer. */
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** Adds to the line of the audit log, such as a path that the query does not have. */
  readonly note: (facts: Readonly<Record<string, string>>) => void;
}

export interface ApiAnswer<T> {
  readonly value: T;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Declared<T, R extends Params, O extends Params> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below /api/v1: `/members/{server}`. */
  readonly path: string;
  readonly summary: string;
  readonly required?: R;
  readonly optional?: O;
  /** The body has bytes, or If-Match names the version to change. */
  readonly takes?: readonly ('bytes' | 'if-match')[];
  /** Undefined for a document of the type `produces`, or for JSON that has a schema of its own. */
  readonly answer: Schema<T> | undefined;
  /** Default application/json. */
  readonly produces?: string;
  /** Bytes; default `MAX_VALUE_LENGTH`. */
  readonly maxBodyLength?: number;
  /** Default 200. */
  readonly status?: number;
  /** Problems besides those of every request. */
  readonly problems?: readonly number[];
  /** A read-only console answers it, too: it changes no znode. Only of methods other than GET. */
  readonly isChange?: false;
  /** Needs no login. */
  readonly isOpen?: true;
  /** Routes that share it share its limit. */
  readonly atOnce?: AtOnce;
  /** A stream returns undefined and writes its own response. */
  readonly run: (
    services: Services,
    given: Given<R, O>,
    call: ApiCall,
  ) => Promise<ApiAnswer<T> | undefined>;
}

export interface Route extends Omit<Declared<unknown, Params, Params>, 'run'> {
  /** @throws HttpProblem for wrong parameters, and any error of the work */
  readonly carryOut: (
    services: Services,
    inPath: Readonly<Record<string, string>>,
    query: URLSearchParams,
    call: ApiCall,
  ) => Promise<ApiAnswer<unknown> | undefined>;
}

// biome-ignore lint/complexity/noBannedTypes: a route without parameters of a kind has no fields
type None = {};

export function route<T, R extends Params = None, O extends Params = None>(
  declared: Declared<T, R, O>,
): Route {
  const { run, ...rest } = declared;
  const { required = {}, optional = {} }: { required?: Params; optional?: Params } = declared;
  return {
    ...rest,
    carryOut: (services, inPath, query, call) => {
      const texts = new Map(Object.entries(inPath));
      for (const [name, value] of query) {
        if (texts.has(name)) throw badRequest(`${name}: duplicate parameter`);
        texts.set(name, value);
      }
      const given: Record<string, unknown> = {};
      for (const [name, { json }] of Object.entries({ ...required, ...optional })) {
        const value = texts.get(name);
        texts.delete(name);
        if (value === undefined && name in required) throw badRequest(`${name}: is missing`);
        given[name] = value === undefined ? json.default : readValue(name, json, value);
      }
      const [unknown] = texts.keys();
      if (unknown !== undefined) throw badRequest(`${unknown}: unknown parameter`);
      return run(services, given as Given<R, O>, call);
    },
  };
}

function readValue(name: string, schema: JsonSchema, value: string): unknown {
  const expected = (what: string) => badRequest(`${name}: expected ${what}`);
  if (schema.enum !== undefined) {
    if (schema.enum.includes(value)) return value;
    throw expected(`one of ${schema.enum.join(', ')}`);
  }
  if (schema.type === 'boolean') {
    if (value === 'true' || value === 'false') return value === 'true';
    throw expected('true or false');
  }
  if (schema.type !== 'integer') return value;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw expected(`a whole number, ${minimum} to ${maximum}`);
}

export interface Found {
  readonly route: Route;
  readonly inPath: Readonly<Record<string, string>>;
}

/** The routes of a path, one per method; empty for an unknown path. */
export function findRoutes(routes: readonly Route[], path: string): readonly Found[] {
  const parts = path.slice(API.length).split('/');
  return routes.flatMap((candidate): Found[] => {
    const names = candidate.path.split('/');
    if (names.length !== parts.length) return [];
    const inPath: Record<string, string> = {};
    for (const [at, name] of names.entries()) {
      const part = parts[at] ?? '';
      if (!name.startsWith('{')) {
        if (name !== part) return [];
      } else inPath[name.slice(1, -1)] = decodePart(part);
    }
    return [{ route: candidate, inPath }];
  });
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('the path of the URL has an invalid % sequence');
  }
}
