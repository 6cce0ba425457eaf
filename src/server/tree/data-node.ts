import type { Children } from './children.js';

/**
 * The bytes of a znode, one per character (latin1): a flat string is one small heap object, but a
 * Buffer is three and keeps its pool alive. Null and "" differ.
 */
export type ZnodeData = string | null;

/** Every node has all fields from the start, so that all share one shape. */
export class DataNode {
  readonly path: string;
  data: ZnodeData;
  aclKey: number;
  readonly slot: number;
  /** Null until the first child: most znodes are leaves. */
  children: Children | null = null;
  /** Its index among its parent's children; -1 if it has no parent. */
  place = -1;

  constructor(path: string, data: ZnodeData, aclKey: number, slot: number) {
    this.path = path;
    this.data = data;
    this.aclKey = aclKey;
    this.slot = slot;
  }

  get numChildren(): number {
    return this.children === null ? 0 : this.children.size;
  }
}

/** "" for null. Only for ASCII, such as the server's own znodes. */
export function latin1Text(data: ZnodeData): string {
  return data ?? '';
}

export function dataLength(data: ZnodeData): number {
  return data === null ? 0 : data.length;
}
