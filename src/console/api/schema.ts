/** JSON Schemas with types: one declaration for compiler, OpenAPI document, and tests. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

export interface Schema<T> {
  readonly json: JsonSchema;
  /** Carries the type; never set. */
  readonly is?: T;
}

export type ValueOf<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type Values<F extends Fields> = { readonly [Key in keyof F]: ValueOf<F[Key]> };

function described(json: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? json : { ...json, description };
}

export function text(description?: string): Schema<string> {
  return { json: described({ type: 'string' }, description) };
}

export function number(description?: string): Schema<number> {
  return { json: described({ type: 'number' }, description) };
}

export function flag(description?: string): Schema<boolean> {
  return { json: described({ type: 'boolean' }, description) };
}

export function integer(
  description?: string,
  limits: Pick<JsonSchema, 'minimum' | 'maximum' | 'default'> = {},
): Schema<number> {
  return { json: described({ type: 'integer', ...limits }, description) };
}

export function oneOf<const V extends readonly string[]>(
  values: V,
  description?: string,
): Schema<V[number]> {
  return { json: described({ enum: values }, description) };
}

export function list<T>(items: Schema<T>, description?: string): Schema<readonly T[]> {
  return { json: described({ type: 'array', items: items.json }, description) };
}

/** For unknown or absent values. */
export function orNull<T>({ json }: Schema<T>): Schema<T | null> {
  return { json: { ...json, type: [json.type ?? 'string', 'null'].flat() } };
}

/** @param title its name in the OpenAPI document */
export function object<R extends Fields>(title: string, required: R): Schema<Values<R>>;
export function object<R extends Fields, O extends Fields>(
  title: string,
  required: R,
  optional: O,
): Schema<Values<R> & Partial<Values<O>>>;
export function object(title: string, required: Fields, optional: Fields = {}): Schema<unknown> {
  const properties = Object.fromEntries(
    Object.entries({ ...required, ...optional }).map(([name, { json }]) => [name, json]),
  );
  return { json: { type: 'object', title, required: Object.keys(required), properties } };
}
