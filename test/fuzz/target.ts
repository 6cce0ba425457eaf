/** What a fuzz target is, and what may come of an input. */

export interface Target {
  readonly name: string;
  /** Inputs to begin with, beside the corpus; made by the project's own encoders. */
  seeds(): readonly Buffer[];
  /** Words of the format, which mutations insert. */
  readonly words?: readonly (string | Buffer)[];
  /** @throws anything but what the tested code promises to throw */
  run(input: Buffer): void | Promise<void>;
  /** A stranger to whom parts of inputs are given, again and again. @param way below `ways` */
  connect?(way: number): Stranger;
  /** In so many ways a stranger may come; the first byte of an input says which. Default: one. */
  readonly ways?: number;
  /** What is repeated behind an input. Default: a frame of it, which begins with its length. */
  readonly units?: readonly Buffer[];
  /** What runs share is made anew. */
  renew?(): void;
  /** How long an input may take; default 1000. */
  readonly slowMs?: number;
  /** Default 4096. */
  readonly maxLength?: number;
}

/** The other end of a connection to the tested code. */
export interface Stranger {
  /** Given to the tested code so far. */
  readonly bytes: number;
  /** The tested code does not read now. */
  readonly isHeld: boolean;
  /** The tested code ended the connection. Default: no. */
  readonly isClosed?: boolean;
  /** What it keeps may be data that was asked to be stored. */
  readonly isStored: boolean;
  /** @param bytes belong to the tested code from then on */
  push(bytes: Buffer): void;
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
