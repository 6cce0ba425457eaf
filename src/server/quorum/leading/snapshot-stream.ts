import { SNAP_STREAM_SIGNATURE } from '../../../protocol/quorum.js';
import type { QuorumEffect } from '../../effects.js';
import { writeSnapshotStream } from '../../persistence/snapshot.js';
import { bodySourceOf } from '../../persistence/snapshot-source.js';

/**
 * What follows SNAP, in pieces that are made when they are asked for, while the tree goes on.
 * @throws Error as soon as the learner was let go: a role that ends applies what is logged and was
 *   never agreed on, and no learner may be shown that
 */
export function* snapshotPieces(
  { content, isWanted }: Extract<QuorumEffect, { kind: 'link-snapshot' }>,
  pieceSize?: number,
): Generator<Buffer, void, undefined> {
  const pieces = writeSnapshotStream(bodySourceOf(content), SNAP_STREAM_SIGNATURE, pieceSize);
  for (;;) {
    if (!isWanted()) throw new Error('the learner was let go before it had the whole snapshot');
    const piece = pieces.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}
