import type { DataNode } from './data-node.js';

/**
 * A parent before its children. Bears changes under way: what is deleted leaves the children of its
 * parent, and a parent is deleted behind all of its children. What is made under way may be missed.
 */
export function* walk(from: DataNode): Generator<DataNode, void, undefined> {
  yield from;
  const stack: Iterator<DataNode>[] = [];
  if (from.children !== null) stack.push(from.children[Symbol.iterator]());
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.next();
    if (next.done === true) {
      stack.pop();
      continue;
    }
    const node = next.value;
    yield node;
    if (node.children !== null) stack.push(node.children[Symbol.iterator]());
  }
}
