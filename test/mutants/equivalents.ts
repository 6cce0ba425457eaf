/**
 * Mutations that change nothing anyone can observe. Each names the compiled line, so it is void
 * once the line changes.
 */
interface Equivalent {
  /** Below src, compiled. */
  readonly path: string;
  readonly line: string;
  /** The mutations of the line that are equivalent. */
  readonly change: RegExp;
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'server/node/storage/whole-snapshot.js',
    line: 'const isLarge = checking !== undefined && file.size >= checking.fromBytes;',
    change: /^>= to >$/,
    why: 'a snapshot of just that size is checked alike by this thread and by another one',
  },
  {
    path: 'files/snapshot-reader.js',
    line: 'if (dataEnd < 0 || end > window.end)',
    change: /^< to <=$/,
    why: 'the end of the data comes after the path, so it is never 0',
  },
  {
    path: 'server/quorum/leading/broadcast.js',
    line: 'isDue = false;',
    change: /^false to true$/,
    why: 'a round that nobody waits for is one more ping',
  },
  {
    path: 'server/quorum/leading/synchronizer.js',
    line: 'return size > (limits.maxRestBytes ?? MAX_REST) ? null : rest;',
    change: /^> to >=$/,
    why: 'a rest of just that size may come from memory or from the log',
  },
  {
    path: 'server/pipeline/watch-notifier.js',
    line: 'childWatches.trigger(path, false, (connection) => {',
    change: /^false to true$/,
    why: 'recursive watches, which alone differ, are among those of data',
  },
  {
    path: 'server/node/storage/snapshot-thread.js',
    line: "worker.on('message', (message) => messages.push(message));",
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/snapshot-thread.js',
    line: "worker.once('error', reject);",
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'files/snapshot-reader.js',
    line: 'const end = at + 4 + (length < 0 ? 0 : length);',
    change: /^< to <=$/,
    why: 'a length of 0 gives 0 either way',
  },
  {
    path: 'server/session/acl-grants.js',
    line: 'this.byText.set(text, holder);',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/node/storage/claim-socket.js',
    line: "socket.on('error', () => undefined);",
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/claim-socket.js',
    line: 'socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());',
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/claim-socket.js',
    line: 'socket.setTimeout(ANSWER_TIMEOUT_MS, () => {',
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/claim-socket.js',
    line: "socket.on('error', ({ code }) => {",
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/claim-socket.js',
    line: "socket.on('data', (bytes) => {",
    change: /^swapped with the next: /,
    why: 'no event comes before the listeners are there',
  },
  {
    path: 'server/node/storage/file-system.js',
    line: 'if (found.uid === uid && found.gid === gid)',
    change: /^left out the if$/,
    why: 'a file may always be given to the user and group that it has',
  },
  {
    path: 'files/snappy.js',
    line: 'const tag = block[at] ?? 0;',
    change: /^0 plus 1$/,
    why: 'the place is within the block',
  },
  {
    path: 'files/snappy.js',
    line: 'out[at] = out[at - offset] ?? 0;',
    change: /^0 plus 1$/,
    why: 'the place is within the block',
  },
  {
    path: 'files/snappy.js',
    line: 'const byte = block[at] ?? 0;',
    change: /^0 plus 1$/,
    why: 'the place is within the block',
  },
  {
    path: 'server/state/id-set.js',
    line: 'const most = sorted[sorted.length - 1] ?? 0;',
    change: /^0 plus 1$/,
    why: 'the array has a member',
  },
  {
    path: 'server/tree/acl-table.js',
    line: 'const uses = (this.uses.get(key) ?? 0) - 1;',
    change: /^0 plus 1$/,
    why: 'only a key in use is released',
  },
  {
    path: 'server/tree/block-store.js',
    line: 'leaveTreeMemory(this.chunks[empty]?.length ?? 0);',
    change: /^0 plus 1$/,
    why: 'the chunk exists',
  },
  {
    path: 'server/persistence/replay.js',
    line: 'cxid: 0,',
    change: /^0 plus 1$/,
    why: 'the end of a session changes no field by it',
  },
  {
    path: 'server/persistence/replay.js',
    line: 'time: 0n,',
    change: /^0n plus 1$/,
    why: 'the end of a session changes no field by it',
  },
  {
    path: 'server/quorum/membership/quorum-config.js',
    line: 'return a < b ? -1 : Number(a > b);',
    change: /^1 plus 1$/,
    why: 'a sort asks only for the sign',
  },
  {
    path: 'server/quorum/learning/learner-history.js',
    line: 'if (proposal === undefined)',
    change: /^left out the if$/,
    why: 'both callers looked at the next proposal before',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'if (this.closed.size === 0)',
    change: /^left out the if$/,
    why: 'no session is found among none',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'this.changes.set(path, { created, isDeleted: false, data: textOf(data), acl });',
    change: /^false to true$/,
    why: 'a created znode is not merged either way, and is written as created',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'out.take();',
    change: /^swapped with the next: /,
    why: 'a report of a limit does not look at the answers',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'stat.writeBigInt64BE(written.zxid, MZXID);',
    change: /^swapped with the next: /,
    why: 'the two write different bytes',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'stat.writeBigInt64BE(written.time, MTIME);',
    change: /^swapped with the next: /,
    why: 'the two write different bytes',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'stat.writeInt32BE(raised.cversion, CVERSION);',
    change: /^swapped with the next: /,
    why: 'the two write different bytes',
  },
  {
    path: 'server/persistence/snapshot-changes.js',
    line: 'if (zxid > stat.readBigInt64BE(PZXID))',
    change: /^> to >=$/,
    why: 'the same zxid is written again',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'this.worked.push(connection);',
    change: /^push to unshift$/,
    why: 'all of them get their steps back, in any order',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'decoder.hold();',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'this.state.exceeded(limit, remoteIp);',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'connection.decoder.putBack([frame]);',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'connection.decoder.hold();',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'this.state.exceeded(excess, connection.remoteIp, value);',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'this.paused.set(connection, false);',
    change: /^swapped with the next: /,
    why: 'nothing happens between the two',
  },
  {
    path: 'server/pipeline/back-pressure.js',
    line: 'if (this.paused.size === 0)',
    change: /^left out the if$/,
    why: 'nobody is found among no paused connections',
  },
  {
    path: 'server/node/storage/open-storage.js',
    line: 'const hasSpareCore = availableParallelism() > 2;',
    change: /^(> to >=|2 plus 1)$/,
    why: 'another thread writes the same snapshot as this one',
  },
  {
    path: 'server/node/storage/open-storage.js',
    line: 'const SUMMED_FROM = 16 * 1024 * 1024;',
    change: /^(\* to \+|(16|1024) plus 1)$/,
    why: 'another thread computes the same sums as this one',
  },
  {
    path: 'server/node/storage/open-storage.js',
    line: 'const canSum = availableParallelism() > 1;',
    change: /^(> to >=|1 plus 1)$/,
    why: 'another thread computes the same sums as this one',
  },
  {
    path: 'files/snapshot.js',
    line: 'const DEFAULT_CHUNK_SIZE = 128 * 1024;',
    change: /^(\* to \+|(128|1024) plus 1)$/,
    why: 'a file has the same bytes whatever the size of its pieces',
  },
  {
    path: 'server/pipeline/reply.js',
    line: 'out.patchInt(start + 8, state.zxidHigh);',
    change: /^swapped with the next: /,
    why: 'the two write different bytes',
  },
  {
    path: 'server/pipeline/snapshot-trigger.js',
    line: 'dueTxns = 0;',
    change: /^0 plus 1$/,
    why: 'the constructor sets it before anything reads it',
  },
  {
    path: 'server/pipeline/snapshot-trigger.js',
    line: 'dueBytes = 0;',
    change: /^0 plus 1$/,
    why: 'the constructor sets it before anything reads it',
  },
  {
    path: 'server/pipeline/snapshot-trigger.js',
    line: 'dueGrowth = 0;',
    change: /^0 plus 1$/,
    why: 'the constructor sets it before anything reads it',
  },
  {
    path: 'server/tree/stat-table.js',
    line: 'this.free.push(slot);',
    change: /^push to unshift$/,
    why: 'any free slot serves',
  },
  {
    path: 'server/tree/stat-table.js',
    line: 'copyWords(persisted, from, view, at, 9);',
    change: /^swapped with the next: /,
    why: 'the two write different bytes',
  },
  {
    path: 'server/tree/children.js',
    line: 'if (list.places.length > 2 * list.size + FEW)',
    change: /^\* to \+$/,
    why: 'a list is packed sooner, with the same children in the same order',
  },
  {
    path: 'server/pipeline/read.js',
    line: 'const LONG_NAMES = 1024 * 1024;',
    change: /^(\* to \+|1024 plus 1)$/,
    why: 'a long list has the same answer in one turn or in several',
  },
  {
    path: 'server/pipeline/read-queue.js',
    line: 'if (next.connection !== connection)',
    change: /^left out the if$/,
    why: 'it asserts what keep() ensures',
  },
  {
    path: 'server/state/client-connection.js',
    line: 'isOverTls = false;',
    change: /^false to true$/,
    why: 'it is set before anything reads it',
  },
  {
    path: 'server/state/id-set.js',
    line: 'this.check();',
    change: /^left out this\.check\(\);$/,
    why: 'it asserts what the methods keep',
  },
  {
    path: 'server/quorum/election/fast-leader-election.js',
    line: "if (this.own !== 'looking')",
    change: /^left out the if$/,
    why: 'nothing is due outside of an election',
  },
  {
    path: 'server/quorum/quorum-peer.js',
    line: 'this.times.elected(this.nowMs, this.isObserver);',
    change: /^swapped with the next: /,
    why: 'the time of an election does not depend on the role after it',
  },
  {
    path: 'server/tree/content-table.js',
    line: 'if (length > 0)',
    change: /^> to >=$/,
    why: 'to copy no bytes changes nothing',
  },
  {
    path: 'server/tree/children.js',
    line: 'for (let i = 0; i < places.length; i++) {',
    change: /^< to <=$/,
    why: 'a place past the end has no slot, so no child is there',
  },
  {
    path: 'server/tree/children.js',
    line: 'if (chunk.length === 0)',
    change: /^left out the if$/,
    why: 'an array without holes is only faster',
  },
  {
    path: 'server/quorum/election/fast-leader-election.js',
    line: 'this.supporters.clear();',
    change: /^swapped with the next: /,
    why: 'supporters and the question to the oracle are separate',
  },
  {
    path: 'server/tree/located-content.js',
    line: 'const words = length >>> 2;',
    change: /^2 plus 1$/,
    why: 'the rest is copied byte by byte',
  },
  {
    path: 'server/tree/block-store.js',
    line: 'if (units < 8)',
    change: /^8 plus 1$/,
    why: 'the second formula gives 8 for 8, too',
  },
  {
    path: 'server/prep/quota-check.js',
    line: 'if (owner === undefined)',
    change: /^left out the if$/,
    why: '"undefined" has no znodes below /zookeeper/quota',
  },
  {
    path: 'server/node/storage/load-snapshot.js',
    line: 'const memory = [0, 1].map(() => Buffer.allocUnsafe(Math.max(1, Math.min(READ_SIZE, size))));',
    change: /^[01] plus 1$/,
    why: 'only the number of the elements counts',
  },
  {
    path: 'server/quorum/peer/parked-links.js',
    line: "this.host.exceeded('parkedLinks', parked.remote);",
    change: /^swapped with the next: /,
    why: 'a report and the removal of a link are separate',
  },
  {
    path: 'files/node-place.js',
    line: 'if (pathEnd < begins + UNCOUNTED_BYTES.length)',
    change: /^< to <=$/,
    why: 'no path ends with a slash',
  },
  {
    path: 'server/pipeline/primary.js',
    line: 'this.checkApplied();',
    change: /^swapped with the next: /,
    why: 'an assertion about what nothing between changes',
  },
  {
    path: 'server/persistence/unchanged-nodes.js',
    line: 'if (bytes.readInt32BE(at) === 0 && bytes.readInt32BE(at + 4) === 0)',
    change: /^0 plus 1$/,
    why: 'the long way has the same answer for an owner of 0',
  },
  {
    path: 'server/quorum/wire/quorum-packet.js',
    line: 'return -1;',
    change: /^1 plus 1$/,
    why: 'every negative length means an unfinished packet',
  },
];

/** The reason why a mutation changes nothing, if one is known. */
export function whyEquivalent(path: string, line: string, change: string): string | undefined {
  const isOne = (one: Equivalent): boolean =>
    one.path === path && one.line === line && one.change.test(change);
  return EQUIVALENTS.find(isOne)?.why;
}
