import type { OutputArchive } from '../../jute/output-archive.js';
import { OpCode } from '../../protocol/op-code.js';
import { SetWatches, SetWatches2 } from '../../protocol/proto.js';
import type { ClientWatches, WatchBatch } from './client-watches.js';
import { makeRequest, type Operation, type Request } from './request.js';

/** Apache's limit for the paths of one request: a quarter of jute.maxbuffer. */
export const SET_WATCHES_MAX_LENGTH = 128 * 1024;
const SET_WATCHES_MIN_LENGTH = 1024;

interface SetWatchesArgs {
  readonly relativeZxid: bigint;
  readonly batch: WatchBatch;
}

const ignore = (): void => {};

/** Known to every server, but without persistent watches. */
const setWatches: Operation<SetWatchesArgs, void> = {
  code: OpCode.setWatches,
  write: (out: OutputArchive, { relativeZxid, batch }) =>
    SetWatches.write(out, {
      relativeZxid,
      dataWatches: batch.data,
      existWatches: batch.exists,
      childWatches: batch.child,
    }),
  read: ignore,
};

/** Known to servers since 3.6. */
const setWatches2: Operation<SetWatchesArgs, void> = {
  code: OpCode.setWatches2,
  write: (out: OutputArchive, { relativeZxid, batch }) =>
    SetWatches2.write(out, {
      relativeZxid,
      dataWatches: batch.data,
      existWatches: batch.exists,
      childWatches: batch.child,
      persistentWatches: batch.persistent,
      persistentRecursiveWatches: batch.recursive,
    }),
  read: ignore,
};

/** After a connection that was lost meanwhile: the server may have a smaller jute.maxbuffer. */
export function shorterLength(maxLength: number): number {
  return Math.max(Math.floor(maxLength / 2), SET_WATCHES_MIN_LENGTH);
}

/**
 * Sets watches on a new connection; the server reports those fired since `relativeZxid`.
 * @param maxLength of the paths of one request in bytes
 */
export function watchRequests(
  watches: ClientWatches,
  relativeZxid: bigint,
  maxLength: number,
): readonly Request[] {
  return watches.batches(maxLength).map((batch) => {
    const isPersistent = batch.persistent.length + batch.recursive.length > 0;
    const operation = isPersistent ? setWatches2 : setWatches;
    return makeRequest(operation, { relativeZxid, batch }, undefined, ignore, ignore);
  });
}
