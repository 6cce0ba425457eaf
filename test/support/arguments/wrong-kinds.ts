/**
 * Every wrong kind of value for every argument. A table lists the kinds that a call accepts. The
 * walk passes all other kinds and checks each refusal by the same rules.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

const explode = (): never => {
  throw new Error('the proxy explodes');
};

/** Values that a JavaScript caller may pass by mistake. */
export const KINDS = {
  undefined: undefined,
  null: null,
  number: 5,
  NaN: Number.NaN,
  '-1': -1,
  '1.5': 1.5,
  '2^31': 2 ** 31,
  '2^53': 2 ** 53,
  bigint: 5n,
  boolean: true,
  string: 'text',
  "''": '',
  'lone surrogate': '\ud800',
  object: {},
  array: [],
  function: () => undefined,
  symbol: Symbol('s'),
  Date: new Date(0),
  ArrayBuffer: new ArrayBuffer(4),
  Uint16Array: new Uint16Array(2),
  proxy: new Proxy({}, { get: explode, has: explode, ownKeys: explode, getPrototypeOf: explode }),
} as const satisfies Record<string, unknown>;
export type Kind = keyof typeof KINDS;

/** The place of a value in the arguments: `[1, 'watch']` is the field of the second one. */
export type Place = readonly [index: number, ...keys: (string | number)[]];

export interface Argument {
  readonly at: Place;
  /** The kinds that this argument accepts. */
  readonly takes: readonly Kind[];
}

export interface Call {
  readonly name: string;
  /** Valid arguments. */
  readonly args: readonly unknown[];
  readonly wrong: readonly Argument[];
  run(...args: never[]): unknown;
}

export const argument = (at: Place, ...takes: Kind[]): Argument => ({ at, takes });

/** `argument: problem: value (expected …)`, or the same for a text that was parsed. */
const SENTENCE =
  /^[\w.[\]]+: [a-z ]+: .+ \(expected .+\)$|^expected .+, found ".*"$|^".*" (is not|cannot) .+ \(expected .+\)$/su;

/**
 * The faults in how `call` refuses wrong arguments. Empty if it refuses each with a sentence, at
 * once or in the same turn of the event loop.
 */
export async function faultsOf(call: Call): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { at, takes } of call.wrong) {
    for (const [kind, value] of Object.entries(KINDS)) {
      if ((takes as readonly string[]).includes(kind)) continue;
      const args = place(call.args, at, value) as never[];
      const fault = faultOf(await outcomeOf(() => call.run(...args)));
      if (fault !== undefined) faults.push(`${call.name} ${at.join('.')} = ${kind}: ${fault}`);
    }
  }
  return faults;
}

const UNKNOWN = /^[\w.[\]]+: unknown option \(expected one of .+\)$/;

/** The places of plain objects in arguments. */
function* objectsIn(value: unknown, at: readonly (string | number)[]): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype && at.length > 0) yield at as unknown as Place;
  if (prototype !== Object.prototype && !Array.isArray(value)) return;
  for (const [key, field] of Object.entries(value)) {
    yield* objectsIn(field, [...at, Array.isArray(value) ? Number(key) : key]);
  }
}

/**
 * The faults in how `call` refuses a field of an unknown name, in each object of its arguments.
 * @param others objects with a life of their own, as "connectTo 0" or "metrics"
 */
export async function unknownNameFaults(
  call: Call,
  others: readonly string[] = [],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const at of objectsIn(call.args, [])) {
    const outcome = await outcomeOf(() =>
      call.run(...(place(call.args, [...at, 'timeout'], 5) as never[])),
    );
    const error = typeof outcome === 'string' ? outcome : outcome.error;
    if (error instanceof TypeError && UNKNOWN.test(error.message)) continue;
    const isUnsupported = error instanceof Error && error.name === 'UnsupportedError';
    const names = [`${call.name} ${at.join('.')}`, String(at.at(-1))];
    if (!isUnsupported && !names.some((name) => others.includes(name)))
      faults.push(`${call.name} ${at.join('.')}.timeout: ${error}`);
  }
  return faults;
}

type Outcome = { readonly error: unknown } | 'pending' | 'accepted';

async function outcomeOf(run: () => unknown): Promise<Outcome> {
  let outcome: Outcome = 'pending';
  try {
    Promise.resolve(run()).then(
      () => {
        outcome = 'accepted';
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
  } catch (error) {
    return { error };
  }
  await nextTurn();
  return outcome;
}

function faultOf(outcome: Outcome): string | undefined {
  if (typeof outcome === 'string') return outcome;
  const { error } = outcome;
  // A value of the right kind that breaks a rule of ZooKeeper, or a feature that the native client
  // lacks.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (['BADARGUMENTS', 'EUNSUPPORTED', 'ECONFIG'].includes(String(code))) return undefined;
  if (!(error instanceof TypeError || error instanceof RangeError)) return `threw ${error}`;
  return SENTENCE.test(error.message) ? undefined : `threw ${error}`;
}

/** The same arguments with one value replaced. Copies only the objects on the path to it. */
function place(target: unknown, [key, ...rest]: readonly (string | number)[], value: unknown) {
  const copy: Record<string | number, unknown> = Array.isArray(target)
    ? ([...target] as unknown as Record<number, unknown>)
    : { ...(target as Record<string, unknown>) };
  if (key === undefined) throw new Error('a place needs at least one key');
  copy[key] =
    rest.length === 0 ? value : place(copy[key], rest as unknown as [string | number], value);
  return copy as unknown as readonly unknown[];
}
