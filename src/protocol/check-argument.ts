/**
 * Checks of arguments to the library: JavaScript callers have no compiler, and a wrong value would
 * become corrupt data on the server. Each error is `argument: problem: value (expected …)`: a
 * TypeError for a wrong type, a RangeError for a value out of range, with the codes of Node.js.
 */

export type Data = string | Uint8Array | null;

const LONGEST_SHOWN = 40;
const INT_MIN = -0x8000_0000;
const INT_MAX = 0x7fff_ffff;
/** Without the flag `u`, it would match each half of a surrogate pair. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Reads an internal slot, so that no object of any realm can imitate bytes. */
const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

export function wrongType(name: string, value: unknown, expected: string): TypeError {
  return typeError(`${name}: wrong type: ${describeValue(value)} (expected ${expected})`);
}

export function outOfRange(name: string, value: unknown, expected: string): RangeError {
  return rangeError(`${name}: not allowed: ${describeValue(value)} (expected ${expected})`);
}

function typeError(message: string, options?: ErrorOptions): TypeError {
  return Object.assign(new TypeError(message, options), { code: 'ERR_INVALID_ARG_TYPE' });
}

export function rangeError(message: string): RangeError {
  return Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });
}

function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string': {
      const isLong = value.length > LONGEST_SHOWN;
      return `string ${JSON.stringify(isLong ? `${value.slice(0, LONGEST_SHOWN)}…` : value)}`;
    }
    case 'number':
      return `number ${value}`;
    case 'bigint':
      return `bigint ${String(value).slice(0, LONGEST_SHOWN)}`;
    case 'boolean':
      return `boolean ${value}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return typeof value;
  }
}

function describeObject(value: object): string {
  const name = tagOf(value);
  return name === undefined || name === 'Object' ? 'object' : `object ${name}`;
}

function tagOf(value: object): string | undefined {
  try {
    return Object.prototype.toString.call(value).slice(8, -1).slice(0, LONGEST_SHOWN);
  } catch {
    return undefined;
  }
}

export function isBytes(value: unknown): value is Uint8Array {
  return typedArrayName?.call(value) === 'Uint8Array';
}

export function checkString(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(name, value, 'a string');
  return value;
}

/** A string that UTF-8 can encode: a lone surrogate would silently become U+FFFD. */
export function checkText(name: string, value: unknown): string {
  const text = checkString(name, value);
  if (LONE_SURROGATE.test(text)) throw outOfRange(name, text, 'no lone surrogates');
  return text;
}

export function checkBytes(name: string, value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(checkText(name, value));
  if (!isBytes(value)) throw wrongType(name, value, 'a string or a Uint8Array');
  return Buffer.isBuffer(value)
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Also accepts null. Refuses ArrayBuffer and DataView: wrap them in a Uint8Array. */
export function checkData(name: string, value: unknown): Buffer | null {
  if (value === null) return null;
  if (typeof value === 'string' || isBytes(value)) return checkBytes(name, value);
  throw wrongType(name, value, 'a string, a Uint8Array or null');
}

export function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(name, value, 'true or false');
  return value;
}

/** A whole number; by default in the range of a jute int. */
export function checkWhole(
  name: string,
  value: unknown,
  least: number = INT_MIN,
  most: number = INT_MAX,
): number {
  const expected = `a whole number from ${least} to ${most}`;
  if (typeof value !== 'number') throw wrongType(name, value, expected);
  if (!Number.isInteger(value) || value < least || value > most) {
    throw outOfRange(name, value, expected);
  }
  return value;
}

/** A bigint in the range of a jute long. */
export function checkLong(name: string, value: unknown): bigint {
  const expected = 'a bigint of 64 bits, as 5n';
  if (typeof value !== 'bigint') throw wrongType(name, value, expected);
  if (BigInt.asIntN(64, value) !== value) throw outOfRange(name, value, expected);
  return value;
}

export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongType(name, value, 'a function');
}

export function checkOneOf<T>(name: string, value: T, known: readonly T[]): T {
  if (known.includes(value)) return value;
  const expected = known.map((each) => (typeof each === 'string' ? `"${each}"` : each)).join(', ');
  const isKind = known.some((each) => typeof each === typeof value);
  throw (isKind ? outOfRange : wrongType)(name, value, `one of ${expected}`);
}

export function checkSignal(name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null || tagOf(value) !== 'AbortSignal') {
    throw wrongType(name, value, 'an AbortSignal');
  }
}

/** A copy of an array whose elements are checked under names such as `ops[3]`. */
export function checkArray<T>(
  name: string,
  value: unknown,
  check: (name: string, element: unknown) => T,
): readonly T[] {
  const array = reading(name, value, () => (Array.isArray(value) ? value : undefined));
  if (array === undefined) throw wrongType(name, value, 'an array');
  const checked: T[] = [];
  const length = reading(name, value, () => array.length);
  for (let i = 0; i < length; i++) {
    const element = reading(name, value, () => array[i]);
    checked.push(check(`${name}[${i}]`, element));
  }
  return checked;
}

/**
 * A copy of the named fields that are not undefined: reads getters once, and later changes by the
 * caller have no effect.
 * @param others names that another check reads; `any` for an object with a life of its own
 * @throws TypeError for a field of another name, which would be ignored in silence
 */
export function readFields<T extends object>(
  name: string,
  value: T,
  keys: readonly (keyof T & string)[],
  others: readonly string[] | 'any' = [],
): T {
  const tag = typeof value === 'object' && value !== null ? tagOf(value) : 'none';
  if (tag !== 'Object' && tag !== undefined) {
    throw wrongType(name, value, `an object, as { ${keys[0]}: … }`);
  }
  let unknown: string | undefined;
  const fields = reading(name, value, () => {
    const copy: Partial<T> = {};
    for (const key of keys) {
      const field = value[key];
      if (field !== undefined) copy[key] = field;
    }
    if (others !== 'any') unknown = unknownKey(value, keys, others);
    return copy as T;
  });
  if (unknown === undefined) return fields;
  const known = [...keys, ...others].join(', ');
  throw typeError(`${name}.${unknown}: unknown option (expected one of ${known})`);
}

function unknownKey(
  value: object,
  keys: readonly string[],
  others: readonly string[],
): string | undefined {
  return Object.keys(value).find(
    (key) => !keys.includes(key) && !others.includes(key) && Reflect.get(value, key) !== undefined,
  );
}

/** A proxy or a getter may throw anything. */
function reading<T>(name: string, value: unknown, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const found = describeValue(value);
    throw typeError(`${name}: cannot be read: ${found} (expected plain values)`, { cause });
  }
}

export type Check = (name: string, value: unknown) => unknown;

/**
 * A copy of the named fields, with each defined one checked.
 * @param name the prefix of field names in errors
 * @param others as for readFields
 * @throws TypeError or RangeError
 */
export function checkFields<T extends object>(
  name: string,
  given: T,
  checks: Readonly<Record<keyof T & string, Check>>,
  others: readonly string[] | 'any' = [],
): T {
  const names = Object.keys(checks) as (keyof T & string)[];
  const fields = readFields(name, given, names, others);
  for (const field of names) {
    if (fields[field] !== undefined) checks[field](`${name}.${field}`, fields[field]);
  }
  return fields;
}

/** An object whose values are all texts. @param usual one of its keys, for the error */
export function checkTexts(name: string, value: unknown, usual: string): void {
  const given = value as Readonly<Record<string, string>>;
  const keys = typeof value === 'object' && value !== null ? keysOf(value, usual) : [usual];
  for (const [key, text] of Object.entries(readFields(name, given, keys))) {
    checkText(`${name}.${key}`, text);
  }
}

/** The usual key for a proxy that throws: the next read throws again. */
function keysOf(value: object, usual: string): string[] {
  try {
    return Object.keys(value);
  } catch {
    return [usual];
  }
}
