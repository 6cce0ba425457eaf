import type { DataNode } from './data-node.js';

/** Notified of each change in order, to trigger watches. */
export interface TreeListener {
  created(node: DataNode, parent: DataNode, zxid: bigint): void;
  deleted(node: DataNode, parent: DataNode, zxid: bigint): void;
  dataChanged(node: DataNode, zxid: bigint): void;
}

export interface DataTreeOptions {
  /** extendedTypesEnabled: an owner with a top byte of 0xff is a time to live. */
  readonly isTTLEnabled?: boolean;
  /** digest.enabled */
  readonly isDigestEnabled?: boolean;
  /** Seeds the hashes of paths: 32 random bits that no client knows. */
  readonly hashSeed?: number;
}
