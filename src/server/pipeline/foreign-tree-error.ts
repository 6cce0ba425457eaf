import { formatZxid } from '../../protocol/zxid.js';

/**
 * The tree differs from the leader's although this member copied it whole. It stops, because
 * clients would read data that never existed in this ensemble.
 */
export class ForeignTreeError extends Error {
  override readonly name = 'ForeignTreeError';
  readonly code = 'EFOREIGNTREE';

  /** @param zxid the txn after which they differ */
  constructor(zxid: bigint) {
    super(
      `tree: differs from the leader's tree again at zxid ${formatZxid(zxid)}, after a full copy (expected the same digest). The server stops. ` +
        'The two servers apply txns differently: compare their versions, and keep the folders version-2.mismatch-* for a bug report',
    );
  }
}
