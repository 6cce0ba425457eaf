import { writeSnapshotStream } from '../../../files/snapshot.js';
import type { QuorumEffect } from '../../effects.js';
import { bodySourceOf } from '../../persistence/snapshot-source.js';

/** Ends the snapshot (LearnerHandler, Leader); zookeeper.jute does not declare its text. */
export const SNAP_STREAM_SIGNATURE = 'BenWasHere';

/**
 * The stream after SNAP, made piece by piece while the tree changes. @throws Error when the learner
 * is closed: a role that ends applies uncommitted txns of its log, which no learner may see
 */
export function* snapshotPieces(
  { content, isWanted }: Extract<QuorumEffect, { kind: 'link-snapshot' }>,
  pieceSize?: number,
): Generator<Buffer, void, undefined> {
  const pieces = writeSnapshotStream(bodySourceOf(content), SNAP_STREAM_SIGNATURE, pieceSize);
  for (;;) {
    if (!isWanted()) throw new Error('the link was closed before the whole snapshot was sent');
    const piece = pieces.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}
