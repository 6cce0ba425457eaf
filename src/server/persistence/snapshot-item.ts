import type { ACL } from '../../protocol/data.js';

export type SnapshotItem =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'session'; readonly id: bigint; readonly timeoutMs: number }
  | { readonly kind: 'acl'; readonly key: bigint; readonly acl: readonly ACL[] }
  /** `data` and the 60 bytes of `stat` are views, valid until the next `push` or `next`. */
  | {
      readonly kind: 'node';
      readonly path: string;
      readonly data: Buffer | null;
      readonly aclKey: bigint;
      readonly stat: Buffer;
    }
  /** The first seal is valid: sessions, ACLs, and nodes are complete. */
  | { readonly kind: 'valid' }
  /** `digest` is null for old versions, which are not compared. */
  | {
      readonly kind: 'digest';
      readonly zxid: bigint;
      readonly version: number;
      readonly digest: bigint | null;
    }
  | { readonly kind: 'lastProcessedZxid'; readonly zxid: bigint }
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid'; readonly offset: number; readonly reason: string };
