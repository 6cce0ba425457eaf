/**
 * Makes `instanceof` true for objects of another copy of this package, too: a process may have its
 * ES modules and its CommonJS modules at once. A subclass is compared as usual.
 * @param name of the class, the same in all copies
 */
export function brand(type: { readonly prototype: object }, name: string): void {
  const mark = Symbol.for(`zksh.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  const inherited = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== type) return inherited.call(this, value);
      return typeof value === 'object' && value !== null && mark in value;
    },
  });
}
