/** What each key of JSON documents means, as far as its values show it. */

type Meaning =
  | 'zero'
  | 'text'
  | 'ISO time'
  | 'ms since 1970'
  | 'hex'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object';

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Above all other figures; the year 2001 in ms. */
const MS_SINCE_1970 = 1_000_000_000_000;

/** Keys of these objects are data, such as names of metrics, options, and counted things. */
const MAPS = ['metrics', 'values', 'operationsPerSecond', 'options', 'totals'];

/** The meanings that a key may have, sorted, and the reason. */
export type KnownMeanings = Readonly<Record<string, readonly [meanings: string, reason: string]>>;

/** The meanings of each key, and for each meaning the first place that has it. */
export class Meanings {
  private readonly byKey = new Map<string, Map<Meaning, string>>();

  add(place: string, value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.add(place, item);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const meaning = meaningOf(inner);
      if (meaning !== undefined) this.note(key, meaning, place);
      if (!MAPS.includes(key)) this.add(place, inner);
    }
  }

  /** Adds the properties of a JSON schema. */
  addSchema(place: string, schema: unknown): void {
    if (typeof schema !== 'object' || schema === null) return;
    if ('properties' in schema) {
      for (const [key, property] of Object.entries(schema.properties ?? {})) {
        const { type }: { readonly type?: unknown } = Object(property);
        for (const one of [type].flat()) {
          const meaning = TYPES.get(String(one));
          if (meaning !== undefined) this.note(key, meaning, place);
        }
      }
    }
    for (const inner of Object.values(schema)) this.addSchema(place, inner);
  }

  private note(key: string, meaning: Meaning, place: string): void {
    const meanings = this.byKey.get(key) ?? new Map<Meaning, string>();
    this.byKey.set(key, meanings);
    // 0 is a figure, and also the time of the root.
    const isKnown = meanings.has('number') || meanings.has('ms since 1970');
    if (meaning === 'zero' && isKnown) return;
    if (meaning === 'number' || meaning === 'ms since 1970') meanings.delete('zero');
    if (!meanings.has(meaning)) meanings.set(meaning, place);
  }

  /** The keys with several meanings other than these. "key: text (zksh ls), number (zkops snap)" */
  ambiguousBeside(known: KnownMeanings): string[] {
    return [...this.byKey]
      .filter(([key, meanings]) => meanings.size > 1 && wordsOf(meanings) !== known[key]?.[0])
      .map(([key, meanings]) => {
        const all = [...meanings].map(([meaning, place]) => `${meaning} (${place})`);
        return `${key}: ${all.join(', ')}`;
      })
      .toSorted();
  }

  /** Those of these keys that have one meaning by now. */
  plainAmong(known: KnownMeanings): string[] {
    return Object.keys(known).filter((key) => (this.byKey.get(key)?.size ?? 0) < 2);
  }
}

const TYPES: ReadonlyMap<string, Meaning> = new Map([
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['array', 'array'],
  ['object', 'object'],
]);

function wordsOf(meanings: ReadonlyMap<Meaning, string>): string {
  const words = [...meanings.keys()].map((word) => (word === 'zero' ? 'number' : word));
  return words.toSorted().join(', ');
}

/** Undefined for null, which every key may have. */
function meaningOf(value: unknown): Meaning | undefined {
  if (value === null) return undefined;
  if (value === 0) return 'zero';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return value >= MS_SINCE_1970 ? 'ms since 1970' : 'number';
  if (typeof value !== 'string') return 'object';
  if (ISO_TIME.test(value)) return 'ISO time';
  return /^0x[0-9a-f]+$/.test(value) ? 'hex' : 'text';
}
