/**
 * JSON in Apache's layout, with 64-bit numbers, which JSON.stringify cannot write. Lists that grow
 * with the clients or the tree are written in pieces, and read as they are written.
 */
import { formatJavaDouble } from '../../fourlw/base/java-number.js';

export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** A Java double: whole numbers have a fraction, too. */
  static double(value: number): NumberText {
    return new NumberText(formatJavaDouble(value));
  }
}

export class LongList {
  readonly items: Iterable<Json | LongList>;

  constructor(items: Iterable<Json | LongList>) {
    this.items = items;
  }
}

export class LongMap {
  readonly entries: Iterable<readonly [key: string, value: Json | LongList]>;

  constructor(entries: Iterable<readonly [key: string, value: Json | LongList]>) {
    this.entries = entries;
  }
}

export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | NumberText
  | readonly Json[]
  | JsonObject;

/** Ordered. An object would sort keys that look like numbers first. */
export type JsonObject = ReadonlyMap<string, Json> | { readonly [key: string]: Json };

/** The fields of an answer, of which each may be long. */
export type LongFields = { readonly [key: string]: Json | LongList | LongMap } | JsonObject;

/** @param last fields that follow */
export function* jsonPieces(
  fields: LongFields,
  last: readonly (readonly [key: string, value: Json])[],
): Generator<string> {
  const own: Iterable<readonly [string, Json | LongList | LongMap]> =
    fields instanceof Map ? fields : Object.entries(fields);
  yield* objectPieces([...own, ...last], '');
}

function* objectPieces(
  entries: Iterable<readonly [key: string, value: Json | LongList | LongMap]>,
  indent: string,
): Generator<string> {
  const inner = `${indent}  `;
  let count = 0;
  for (const [key, value] of entries) {
    yield `${count++ === 0 ? '{' : ','}\n${inner}${JSON.stringify(key)} : `;
    if (value instanceof LongMap) yield* objectPieces(value.entries, inner);
    else if (value instanceof LongList) yield* listPieces(value, inner);
    else yield writeJson(value, inner);
  }
  yield count === 0 ? '{ }' : `\n${indent}}`;
}

function* listPieces({ items }: LongList, indent: string): Generator<string> {
  let count = 0;
  for (const item of items) {
    yield count++ === 0 ? '[ ' : ', ';
    if (item instanceof LongList) yield* listPieces(item, indent);
    else yield writeJson(item, indent);
  }
  yield count === 0 ? '[ ]' : ' ]';
}

function writeJson(value: Json, indent: string): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof NumberText) return value.text;
  if (isArray(value)) return writeArray(value, indent);
  const entries = entriesOf(value);
  if (entries.length === 0) return '{ }';
  const inner = `${indent}  `;
  const lines = entries.map(([key, item]) => `${JSON.stringify(key)} : ${writeJson(item, inner)}`);
  return `{\n${inner}${lines.join(`,\n${inner}`)}\n${indent}}`;
}

function writeArray(values: readonly Json[], indent: string): string {
  if (values.length === 0) return '[ ]';
  return `[ ${values.map((value) => writeJson(value, indent)).join(', ')} ]`;
}

function entriesOf(object: JsonObject): (readonly [string, Json])[] {
  return object instanceof Map ? [...object] : Object.entries(object);
}

function isArray(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
