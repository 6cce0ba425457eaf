type IsSame<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if both types are the same. */
export function expectSame<A, B>(_: IsSame<A, B>): void {}

/** What a call resolves to. */
export type Result<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;
