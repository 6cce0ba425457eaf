// The order of the txns over all logs of a server. A start reads the logs in the order of their
// names, and takes only txns after the last one.

import { isSuccessor, type SnapshotFile } from '../../files/recovery.js';
import { formatZxid } from '../../protocol/zxid.js';
import type { Problem } from '../ensemble/verdict/result.js';

const COUNTER_BITS = 32n;

/** A fault between two txns that follow one another. */
interface Break {
  readonly path: string;
  readonly last: bigint;
  readonly next: bigint;
}

export class LogOrder {
  first: bigint | undefined;
  last: bigint | undefined;
  /** Txns are missing between the two. */
  readonly gaps: Break[] = [];
  /** A txn that comes too late, and that no log has before: it is of another history. */
  readonly steps: Break[] = [];
  /** The first repeated txn of each file that repeats some of the files before it. */
  readonly repeats: Break[] = [];
  /** The last zxid by epoch. */
  private readonly ends = new Map<bigint, bigint>();
  private path = '';
  private before: bigint | undefined;
  private isStepping = false;
  private isRepeating = false;

  /** The next file, oldest first. */
  begin(path: string): void {
    this.path = path;
    this.before = this.last;
    this.isStepping = false;
    this.isRepeating = false;
  }

  take(zxid: bigint): void {
    const { path, last } = this;
    this.first ??= zxid;
    if (last !== undefined && zxid <= last) {
      this.takeEarlier(zxid, last);
      return;
    }
    if (last !== undefined && !isSuccessor(last, zxid)) this.gaps.push({ path, last, next: zxid });
    this.last = zxid;
    this.ends.set(zxid >> COUNTER_BITS, zxid);
  }

  private takeEarlier(zxid: bigint, last: bigint): void {
    const { path, before } = this;
    const end = this.ends.get(zxid >> COUNTER_BITS);
    const isKnown = end !== undefined && zxid <= end && zxid >= (this.first ?? zxid);
    if (!isKnown && !this.isStepping) {
      this.isStepping = true;
      this.steps.push({ path, last, next: zxid });
    }
    if (isKnown && !this.isRepeating && before !== undefined && zxid <= before) {
      this.isRepeating = true;
      this.repeats.push({ path, last: before, next: zxid });
    }
  }

  /** @param snapshots of the same server; undefined if they are elsewhere */
  problems(snapshots: readonly SnapshotFile[] = []): Problem[] {
    return [
      ...this.steps.map(({ path, last, next }) =>
        critical(
          'wrong-order',
          `${path}: ${formatZxid(next)} comes after ${formatZxid(last)}, and no log before has it: the logs are of two histories, such as a copy over newer logs`,
        ),
      ),
      ...this.repeats.map(({ path, last, next }) =>
        warning(
          'wrong-order',
          `${path}: begins at ${formatZxid(next)}, though the logs before end at ${formatZxid(last)}: servers skip the repeated txns, so check that they are the same`,
        ),
      ),
      ...this.gaps.map((gap) => gapProblem(gap, snapshots)),
      ...this.endProblems(snapshots),
    ];
  }

  private endProblems(snapshots: readonly SnapshotFile[]): Problem[] {
    const { first, last } = this;
    const [newest] = snapshots;
    if (first === undefined || last === undefined || newest === undefined) return [];
    const name = `${newest.name}, the newest snapshot,`;
    if (newest.zxid < first && !isSuccessor(newest.zxid, first)) {
      return [
        critical(
          'missing-txns',
          `${name} ends before the first txn of the logs, ${formatZxid(first)}: no server starts with them, because the txns between are missing`,
        ),
      ];
    }
    if (newest.zxid <= last) return [];
    return [
      warning(
        'missing-txns',
        `${name} is newer than ${formatZxid(last)}, the last txn of the logs: a log is missing, unless this member took the snapshot from its leader`,
      ),
    ];
  }
}

/** A later snapshot makes up for missing txns. */
function gapProblem({ path, last, next }: Break, snapshots: readonly SnapshotFile[]): Problem {
  const text = `${path}: txns are missing between ${formatZxid(last)} and ${formatZxid(next)}`;
  const [newest] = snapshots;
  if (newest !== undefined && newest.zxid < next && !isSuccessor(newest.zxid, next)) {
    return critical(
      'missing-txns',
      `${text}, and no snapshot makes up for them: no server starts with them`,
    );
  }
  return warning('missing-txns', `${text}; only a later snapshot makes up for them`);
}

function critical(code: 'missing-txns' | 'wrong-order', text: string): Problem {
  return { level: 'critical', code, text };
}

function warning(code: 'missing-txns' | 'wrong-order', text: string): Problem {
  return { level: 'warning', code, text };
}
