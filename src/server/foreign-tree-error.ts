import { formatZxid } from '../protocol/zxid.js';

/**
 * A member whose tree is not the one that its leader has, from the first txn on that could be
 * compared. Its clients would read what never was in this ensemble, so it ends the server.
 */
export class ForeignTreeError extends Error {
  override readonly name = 'ForeignTreeError';
  readonly code = 'EFOREIGNTREE';

  /** @param zxid the txn after which they differ */
  constructor(zxid: bigint) {
    super(
      `the tree here is not the leader's at zxid ${formatZxid(zxid)}, nor was it before, so the server stops: one of the two has another ensemble's data, or damaged data. ` +
        'Find out which; move the folders version-2 away there, and it gets everything from the others',
    );
  }
}
