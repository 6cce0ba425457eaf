import type { ServerNode } from '../nodes/server-node.js';

export type Call = (...given: never[]) => unknown;

/** Replaces a method, also a private one. The change gets the old one. */
export function change<T extends Call>(
  owner: object,
  name: string,
  changed: (before: T) => T,
): void {
  const before = Reflect.get(owner, name) as T;
  Reflect.set(owner, name, changed(before.bind(owner) as T));
}

/** Runs once for each part of a server that appears, such as a role or its pipeline. */
export function eachPart(
  part: (node: ServerNode) => object | null | undefined,
  alter: (part: object, node: ServerNode) => void,
): (node: ServerNode) => void {
  const altered = new WeakSet<object>();
  return (node) => {
    const found = part(node);
    if (found == null || altered.has(found)) return;
    altered.add(found);
    alter(found, node);
  };
}
