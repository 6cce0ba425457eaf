import type { DataNode } from './data-node.js';

/** Notified of each change in order, to trigger watches. */
export interface TreeListener {
  created(node: DataNode, parent: DataNode, zxid: bigint): void;
  deleted(node: DataNode, parent: DataNode, zxid: bigint): void;
  dataChanged(node: DataNode, zxid: bigint): void;
}

/**
 * What prep found out about a znode that a txn changes, so that no later step looks it up again. A
 * create has the parent first, then the new znode.
 */
export interface PreparedNode {
  readonly path: string;
  /** Null if the znode did not exist then. */
  node: DataNode | null;
  /** The hash of the path, as in the path table. */
  readonly hash: number;
  /** The CRC-32 of the path; 0 without digests. */
  readonly pathSum: number;
}

export interface DataTreeOptions {
  /** extendedTypesEnabled: an owner with a top byte of 0xff is a time to live. */
  readonly isTTLEnabled?: boolean;
  /** digest.enabled */
  readonly isDigestEnabled?: boolean;
  /** Seeds the hashes of paths: 32 random bits that no client knows. */
  readonly hashSeed?: number;
}

/** The bytes of a znode of a snapshot (files/node-place.ts). */
export interface LoadedNode {
  readonly bytes: Buffer;
  readonly start: number;
  readonly pathEnd: number;
  readonly end: number;
}
