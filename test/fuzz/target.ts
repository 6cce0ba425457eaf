/** Fuzz targets, and their findings. */

export interface Target {
  readonly name: string;
  /** First inputs besides the corpus, made by the project's own encoders. */
  seeds(): readonly Buffer[];
  /** Words of the format, which mutations insert. */
  readonly words?: readonly (string | Buffer)[];
  /** @throws an error that the tested code does not promise */
  run(input: Buffer): void | Promise<void>;
  /**
   * A stranger that sends parts of inputs repeatedly.
   * @param way below `ways`
   */
  connect?(way: number): Stranger;
  /**
   * The number of ways in which a stranger may begin. The first byte of an input selects one.
   * Default: one.
   */
  readonly ways?: number;
  /** The repeats after an input. Default: a frame of it, which begins with its length. */
  readonly units?: readonly Buffer[];
  /** Renews the state that runs share. */
  renew?(): void;
  /** The maximum time of an input. Default: 1000. */
  readonly slowMs?: number;
  /** Default 4096. */
  readonly maxLength?: number;
}

/** The other end of a connection to the tested code. */
export interface Stranger {
  /** The bytes sent to the tested code so far. */
  readonly bytes: number;
  /** The tested code does not read now. */
  readonly isHeld: boolean;
  /** The tested code ended the connection. Default: no. */
  readonly isClosed?: boolean;
  /** It may keep data that the stranger stored. */
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

/** Runs the parser. It may refuse the input with a typed error. */
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

/**
 * Errors of exactly that kind: a TypeError is not a RangeError, a stack overflow no refusal.
 */
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
