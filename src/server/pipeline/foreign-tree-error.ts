import { formatZxid } from '../../protocol/zxid.js';

/**
 * A member took its leader's whole tree, and the two part again with each txn. Its clients would
 * read what never was in this ensemble, so it ends the server.
 */
export class ForeignTreeError extends Error {
  override readonly name = 'ForeignTreeError';
  readonly code = 'EFOREIGNTREE';

  /** @param zxid the txn after which they differ */
  constructor(zxid: bigint) {
    super(
      `tree: not the leader's at zxid ${formatZxid(zxid)}, though the leader's whole tree was taken before (expected the same digest): the server stops. ` +
        'The two servers apply txns differently: compare their versions, and keep the folders version-2.mismatch-* for the report',
    );
  }
}
