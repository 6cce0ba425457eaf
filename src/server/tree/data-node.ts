import type { Children } from './children.js';

/**
 * The bytes of a znode, one byte a character (latin1): a flat string is one small heap object,
 * where a Buffer is three and pins the pool it was cut from. Null and "" differ.
 */
export type ZnodeData = string | null;

/** One znode. Every node has all fields from the start, so that all share one shape. */
export class DataNode {
  readonly path: string;
  data: ZnodeData;
  /** Key of its ACL in the AclTable. */
  aclKey: number;
  /** Where its Stat is in the StatTable. */
  readonly slot: number;
  /** Null until the first child: most znodes are leaves. */
  children: Children | null = null;
  /** Among the children of its parent; -1 when it is none of them. */
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

/**
 * The data read as text; "" for none. Good for what is ASCII, as everything a server itself keeps.
 */
export function latin1Text(data: ZnodeData): string {
  return data ?? '';
}

export function dataLength(data: ZnodeData): number {
  return data === null ? 0 : data.length;
}

export function toZnodeData(bytes: Buffer | null): ZnodeData {
  return bytes === null ? null : bytes.toString('latin1');
}

export function fromZnodeData(data: ZnodeData): Buffer | null {
  return data === null ? null : Buffer.from(data, 'latin1');
}
