/**
 * How an option of zoo.cfg is declared. Apache's parser knows an option of kind `file` and refuses
 * a bad value. The others are Java system properties, named `zookeeper.<key>` by default; for a bad
 * value, Apache uses the default. An option that only zkserver has is a `property`.
 *
 * An option is supported, unless `refused`, `ensembleOnly`, or `withoutEffect` say
 * otherwise: setting one must never silently have no effect.
 */

/**
 * - `supported`: read by the server (config.test.ts checks that)
 * - `refused`: never supported; setting it is an error, because a server without it is less safe
 * - `ensemble only`: supported, but has an effect only in an ensemble
 * - `no effect`: this server has nothing that it could change; setting it is a warning
 */
export type OptionStatus = 'supported' | 'refused' | 'ensemble only' | 'no effect';

export interface Option<T> {
  readonly key: string;
  readonly origin: 'file' | 'property';
  /** The full name for -D; in Apache's server a `file` option has none. */
  readonly property: string;
  /** "an integer", "true or false" */
  readonly expects: string;
  readonly default: T;
  /** For the manual, if the default depends on other options. */
  readonly defaultText: string;
  /** "ms", "KB" … or "". */
  readonly unit: string;
  readonly summary: string;
  readonly status: OptionStatus;
  /** "" if the option has an effect. */
  readonly why: string;
  /** Parses a trimmed text; undefined if it is invalid. */
  parse(text: string): T | undefined;
}

export type ValueOf<O> = O extends Option<infer T> ? T : never;

export interface OptionExtras {
  readonly unit?: string;
  readonly min?: number;
  readonly property?: string;
  readonly defaultText?: string;
}

const INT_MAX = 0x7fff_ffff;

/** Digits with a sign (Integer.parseInt); for properties, also hex or octal (Integer.decode). */
function parseInteger(text: string, isDecoded: boolean): number | undefined {
  const match = isDecoded
    ? /^([+-]?)(?:0[xX]|#)([0-9a-fA-F]+)$/.exec(text)
    : /^([+-]?)(\d+)$/.exec(text);
  if (match === null) return isDecoded ? parseInteger(text, false) : undefined;
  const magnitude = Number.parseInt(match[2] as string, isDecoded ? 16 : 10);
  return match[1] === '-' ? -magnitude : magnitude;
}

type Kind = 'file' | 'property';

const HOURS_IN: Readonly<Record<string, number>> = {
  ms: 1 / 3_600_000,
  s: 1 / 3600,
  m: 1 / 60,
  h: 1,
  d: 24,
};

function parseHours(text: string): number | undefined {
  const [, digits, unit = 'h'] = /^([+-]?\d{1,9})(ms|[smhd])?$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (HOURS_IN[unit.toLowerCase()] ?? 1);
}

function make<T>(
  origin: Kind,
  key: string,
  value: T,
  expects: string,
  summary: string,
  extras: OptionExtras,
  parse: (text: string) => T | undefined,
): Option<T> {
  const property = extras.property ?? `zookeeper.${key}`;
  const defaultText = extras.defaultText ?? textOf(value);
  const unit = extras.unit ?? '';
  return {
    key,
    origin,
    property,
    expects,
    default: value,
    defaultText,
    unit,
    summary,
    status: 'supported',
    why: '',
    parse,
  };
}

/** @param why for error and manual */
export function refused<S extends Record<string, Option<unknown>>>(why: string, section: S): S {
  return marked('refused', why, section);
}

export function ensembleOnly<S extends Record<string, Option<unknown>>>(section: S): S {
  return marked('ensemble only', '', section);
}

/** @param why for warning and manual */
export function withoutEffect<S extends Record<string, Option<unknown>>>(
  why: string,
  section: S,
): S {
  return marked('no effect', why, section);
}

function marked<S extends Record<string, Option<unknown>>>(
  status: OptionStatus,
  why: string,
  section: S,
): S {
  const entries = Object.entries(section).map(([name, option]) => [
    name,
    { ...option, status, why },
  ]);
  return Object.fromEntries(entries) as S;
}

function textOf(value: unknown): string {
  return value === null || value === '' ? 'none' : String(value);
}

/** `file.int('tickTime', 3000, 'length of a tick', { unit: 'ms' })` */
export function optionsOf(origin: Kind) {
  const int = (key: string, value: number, summary: string, extras: OptionExtras = {}) => {
    const min = extras.min ?? -INT_MAX - 1;
    const expects =
      extras.min === undefined ? 'an integer' : `an integer from ${extras.min} to ${INT_MAX}`;
    return make(origin, key, value, expects, summary, extras, (text) => {
      const number = parseInteger(text, origin === 'property');
      return number !== undefined && number >= min && number <= INT_MAX ? number : undefined;
    });
  };
  return {
    int,
    /** Exact up to 2^53. */
    long: (key: string, value: number, summary: string, extras: OptionExtras = {}) =>
      make(origin, key, value, 'an integer', summary, extras, (text) => {
        const number = parseInteger(text, origin === 'property');
        return Number.isSafeInteger(number) ? number : undefined;
      }),
    /** With a unit, a shorter time, as in 3.10 (Time.parseTimeInterval). */
    hours: (key: string, value: number, summary: string) => {
      const expects = 'a number of hours, or a time such as 90s, 30m, 12h, or 1d';
      return make(origin, key, value, expects, summary, { unit: 'hours' }, parseHours);
    },
    float: (key: string, value: number, summary: string, extras: OptionExtras = {}) =>
      make(origin, key, value, 'a number', summary, extras, (text) =>
        /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined,
      ),
    /** Null if it is not set, or 0 as in Apache's parser. */
    port: (key: string, summary: string) =>
      make<number | null>(origin, key, null, 'a port from 0 to 65535', summary, {}, (text) => {
        const number = parseInteger(text, false);
        if (number === undefined || number < 0 || number > 65535) return undefined;
        return number === 0 ? null : number;
      }),
    boolean: (key: string, value: boolean, summary: string, extras: OptionExtras = {}) =>
      make(origin, key, value, 'true or false', summary, extras, (text) => {
        const word = text.toLowerCase();
        return word === 'true' ? true : word === 'false' ? false : undefined;
      }),
    /** Older switches use yes and no. */
    yesNo: (key: string, value: boolean, summary: string) =>
      make(
        origin,
        key,
        value,
        'yes or no',
        summary,
        { defaultText: value ? 'yes' : 'no' },
        (text) => (text === 'yes' ? true : text === 'no' ? false : undefined),
      ),
    text: (key: string, value: string, summary: string, extras: OptionExtras = {}) =>
      make(origin, key, value, 'a text', summary, extras, (text) => text),
    /** Null if it is not set. */
    optional: (key: string, summary: string, extras: OptionExtras = {}) =>
      make<string | null>(origin, key, null, 'a text', summary, extras, (text) =>
        text === '' ? null : text,
      ),
    /** An IPv6 address may be in brackets, as Java reads addresses. */
    address: (key: string, value: string, summary: string) =>
      make(origin, key, value, 'a text', summary, {}, withoutBrackets),
    /** Null if it is not set: all addresses. */
    optionalAddress: (key: string, summary: string) =>
      make<string | null>(origin, key, null, 'a text', summary, { defaultText: 'all' }, (text) =>
        text === '' ? null : withoutBrackets(text),
      ),
    choice: <const C extends string>(
      key: string,
      value: C,
      choices: readonly C[],
      summary: string,
    ) =>
      make<C>(origin, key, value, listOf(choices), summary, {}, (text) =>
        choices.find((choice) => choice.toLowerCase() === text.toLowerCase()),
      ),
  };
}

function withoutBrackets(text: string): string {
  return text.replace(/^\[([^\]:]*:[^\]]*)\]$/, '$1');
}

function listOf(choices: readonly string[]): string {
  const shown = choices.map((choice) => (choice === '' ? 'nothing' : choice));
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}
