// A part of jq's language: paths, `|`, `select`, `length`, `keys`, and objects. What it accepts
// means the same in jq, except that a missing part is null or nothing, never an error.

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/** The outputs for one input. */
export type Selection = (input: Json) => readonly Json[];

/** An invalid expression or template; the message says where. */
export class SelectionError extends RangeError {
  override readonly name = 'SelectionError';

  constructor(text: string, at: number, expected: string) {
    const place = at >= text.length ? 'at its end' : `at character ${at + 1}: "${text.slice(at)}"`;
    super(`invalid: "${text}", ${place} (expected ${expected})`);
  }
}

/** @throws SelectionError */
export function parseSelection(text: string): Selection {
  const parser = new Parser(text);
  const selection = parser.pipe();
  parser.end();
  return selection;
}

type Compare = (left: Json, right: Json) => boolean;

/** Longer signs first. */
const COMPARISONS: Readonly<Record<string, Compare>> = {
  '==': (left, right) => JSON.stringify(left) === JSON.stringify(right),
  '!=': (left, right) => JSON.stringify(left) !== JSON.stringify(right),
  '<=': (left, right) => order(left, right) <= 0,
  '>=': (left, right) => order(left, right) >= 0,
  '<': (left, right) => order(left, right) < 0,
  '>': (left, right) => order(left, right) > 0,
};

/** NaN for values without an order, such as a number and a text. */
function order(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}

const START = 'a path such as .name, select(…), length, keys, or {…}';
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const NUMBER = /-?\d+(?:\.\d+)?/y;
const WHOLE = /-?\d+/y;

class Parser {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  end(): void {
    if (this.at < this.text.length) this.fail('a |, or the end');
  }

  pipe(): Selection {
    const steps = [this.comparison()];
    while (this.take('|')) steps.push(this.comparison());
    return (input) =>
      steps.reduce<readonly Json[]>((values, step) => values.flatMap(step), [input]);
  }

  private comparison(): Selection {
    const left = this.term();
    const sign = Object.keys(COMPARISONS).find((each) => this.take(each));
    if (sign === undefined) return left;
    const compare = COMPARISONS[sign];
    const right = this.term();
    return (input) => right(input).flatMap((b) => left(input).map((a) => compare?.(a, b) === true));
  }

  private term(): Selection {
    this.skipBlanks();
    const sign = this.text[this.at];
    if (sign === '.') return this.path();
    if (sign === '{') return this.object();
    const literal = this.literal();
    if (literal !== undefined) return () => [literal];
    const start = this.at;
    const word = this.match(NAME);
    if (word === 'length') return (input) => [lengthOf(input)];
    if (word === 'keys') return (input) => [isRecord(input) ? Object.keys(input).sort() : []];
    if (word === 'select') {
      this.expect('(');
      const test = this.pipe();
      this.expect(')');
      return (input) => test(input).flatMap((is) => (is === null || is === false ? [] : [input]));
    }
    this.at = start;
    return this.fail(START);
  }

  private literal(): Json | undefined {
    const text = this.match(STRING) ?? this.match(NUMBER) ?? this.match(/(?:true|false|null)\b/y);
    return text === undefined ? undefined : this.json(text);
  }

  private path(): Selection {
    this.at++;
    const steps: Selection[] = [];
    const name = this.name();
    if (name !== undefined) steps.push(fieldOf(name));
    for (;;) {
      if (this.text[this.at] === '[') steps.push(this.index());
      else if (this.text[this.at] === '.') {
        this.at++;
        const next = this.name();
        if (next === undefined && this.text[this.at] !== '[') this.fail('a name or [');
        if (next !== undefined) steps.push(fieldOf(next));
      } else break;
    }
    return (input) =>
      steps.reduce<readonly Json[]>((values, step) => values.flatMap(step), [input]);
  }

  /** `[]`, `[0]`, `[-1]`, or `["name"]`. */
  private index(): Selection {
    this.at++;
    if (this.take(']')) return itemsOf;
    const name = this.match(STRING);
    const number = name === undefined ? this.match(WHOLE) : undefined;
    if (name === undefined && number === undefined) this.fail('a number, "name", or ]');
    this.expect(']');
    if (name !== undefined) return fieldOf(String(this.json(name)));
    const at = Number(number);
    return (input) => [(Array.isArray(input) ? (input as readonly Json[]).at(at) : null) ?? null];
  }

  /** `{server, state: .state}` */
  private object(): Selection {
    this.at++;
    const fields: [string, Selection][] = [];
    do {
      this.skipBlanks();
      const name = this.name();
      if (name === undefined) return this.fail('a name');
      fields.push([name, this.take(':') ? this.term() : fieldOf(name)]);
    } while (this.take(','));
    this.expect('}');
    return (input) => [
      Object.fromEntries(fields.map(([name, value]) => [name, value(input)[0] ?? null])),
    ];
  }

  private name(): string | undefined {
    const quoted = this.match(STRING);
    return quoted === undefined ? this.match(NAME) : String(this.json(quoted));
  }

  private json(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      this.at -= text.length;
      return this.fail('text in double quotes as in JSON');
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    this.at += found?.length ?? 0;
    return found;
  }

  private take(sign: string): boolean {
    const start = this.at;
    this.skipBlanks();
    if (this.text.startsWith(sign, this.at)) {
      this.at += sign.length;
      return true;
    }
    if (this.at < this.text.length) this.at = start;
    return false;
  }

  private expect(sign: string): void {
    if (!this.take(sign)) this.fail(sign);
  }

  private skipBlanks(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private fail(expected: string): never {
    this.skipBlanks();
    throw new SelectionError(this.text, this.at, expected);
  }
}

function isRecord(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldOf(name: string): Selection {
  return (input) => [isRecord(input) && Object.hasOwn(input, name) ? (input[name] ?? null) : null];
}

function itemsOf(input: Json): readonly Json[] {
  if (Array.isArray(input)) return input;
  return isRecord(input) ? Object.values(input) : [];
}

function lengthOf(input: Json): number {
  if (typeof input === 'string') return [...input].length;
  if (typeof input === 'number') return Math.abs(input);
  return itemsOf(input).length;
}
