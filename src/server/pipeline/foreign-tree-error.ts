import { formatZxid } from '../../protocol/zxid.js';

/**
 * A member took its leader's whole tree, and the two still diverge with each txn. Clients would
 * read data that never existed in this ensemble, so the server stops.
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
