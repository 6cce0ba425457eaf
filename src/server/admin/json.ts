/** JSON in Apache's layout, with 64-bit numbers, which JSON.stringify cannot write. */
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

export function writeJson(value: Json, indent = ''): string {
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

export function entriesOf(object: JsonObject): (readonly [string, Json])[] {
  return object instanceof Map ? [...object] : Object.entries(object);
}

function isArray(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
