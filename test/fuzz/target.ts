/** What a fuzz target is, and what may come of an input. */

export interface Target {
  readonly name: string;
  /** Inputs to begin with, beside the corpus; made by the project's own encoders. */
  seeds(): readonly Buffer[];
  /** Words of the format, which mutations insert. */
  readonly words?: readonly (string | Buffer)[];
  /** @throws anything but what the tested code promises to throw */
  run(input: Buffer): void;
  /**
   * The input many times over in one process, as a stranger would send it.
   * @param bytes how many to send, about
   * @param way 0 repeats it as it is, the others change one text in each repeat
   * @returns null when there is no such way
   */
  stress?(input: Buffer, bytes: number, way: number): Stress | null;
  /** Inputs of the same kind are repeated once. */
  kindOf?(input: Buffer): string;
  /** How long an input may take; default 1000. */
  readonly slowMs?: number;
  /** Default 4096. */
  readonly maxLength?: number;
}

/** Ready to run, so that making it is not measured. */
export interface Stress {
  /** Given to the tested code so far. */
  readonly bytes: number;
  /** What it keeps may be data that was asked to be stored. */
  readonly isStored: boolean;
  run(): void;
  /** The stranger goes. */
  leave(): void;
}

/** A promise of the tested code that an input broke. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** Runs the parser; what it refuses with a typed error is fine. */
export function parseOrRefuse<T>(
  parse: () => T,
  ...refusals: readonly ErrorClass[]
): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (refusals.some((refusal) => isOf(error, refusal))) return undefined;
    throw error;
  }
}

/** Of that class itself: a TypeError is no RangeError, and a stack overflow is no refusal. */
function isOf(error: unknown, refusal: ErrorClass): boolean {
  if (!(error instanceof refusal)) return false;
  return !/Maximum call stack|Invalid string length|Array buffer allocation/.test(error.message);
}

export function expectSame(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [show(found), show(expected)];
  if (a !== b) throw new Finding(`${what}: ${a.slice(0, 300)} (expected ${b.slice(0, 300)})`);
}

function show(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part)) ?? ''
  );
}
