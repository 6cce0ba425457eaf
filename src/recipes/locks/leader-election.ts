import { onAbort } from '../../client/base/abort.js';
import type { ZooKeeperClient } from '../../client/base/client.js';
import { checkFunction, checkText, readFields } from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkLoopOptions, checkRecipe, checkWaitOptions, WAIT_NAMES } from '../base/arguments.js';
import { EphemeralNode } from '../base/ephemeral-node.js';
import { type LoopOptions, limited, type WaitOptions } from '../base/limit.js';
import { membersOf } from '../base/members.js';
import type { Line } from '../base/sequence-node.js';
import type { Wait } from '../base/session.js';
import { type Turn, takeTurn } from '../base/turn.js';
import { childrenOf, readIfThere, type Znode, type ZnodeOptions } from '../base/znodes.js';
import { firstPlace, firstPlaces } from './first-place.js';

export interface LeaderElectionOptions extends ZnodeOptions {
  /** The candidate as leader() returns it, for example a host and port. */
  readonly id: string;
}

/** What an elected leader holds. */
export interface Leadership {
  /** Greater than the token of every earlier leader; see Held.fencingToken. */
  readonly fencingToken: bigint;
  /** Aborted when the leadership is lost (see Held.signal), or by the signal of lead(). */
  readonly signal: AbortSignal;
  /** Publishes that this leader has started its work, until the leadership ends. */
  acknowledge(): Promise<void>;
}

export interface LeadOptions<T> {
  /** Withdraws the candidate, and aborts the signal of a leader. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Withdraws the candidate with a TimeoutError unless it is elected within this many ms.
   * A leader has no timeout. Default: no timeout.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when elected. The next candidate follows when its promise settles or the session ends.
   */
  readonly onElected: (leadership: Leadership) => T | Promise<T>;
}

const ACKNOWLEDGED = 'acknowledged';
const KIND = 'latch';
/** Curator's LeaderSelector and kazoo's Election write the places of a lock. */
const KINDS = [KIND, 'lock'] as const;

/**
 * Elects one of several processes (Recipes page, "Leader Election").
 *
 * Layout: `<path>/_c_<guid>-latch-<sequence>`, ephemeral, whose data are the candidate's id as
 * UTF-8, and `<path>/acknowledged`, ephemeral, with the id of the acknowledged leader. Candidates
 * of Curator's LeaderLatch and LeaderSelector and of kazoo's Election stand in the same line.
 * Parents, other children, and guarantees are as with Lock: at most one leader with a live signal,
 * in the order of the candidates' znodes; the end of a leader wakes one candidate.
 * @example
 * const election = new LeaderElection(client, '/leader', { id: 'host-1' });
 * await election.lead({ onElected: ({ signal }) => work(signal) });
 */
export class LeaderElection {
  private readonly line: Line;
  private readonly id: string;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: LeaderElectionOptions) {
    const { acl, id } = checkRecipe(client, path, options, ['id', 'acl']);
    this.line = { client, parent: path, kind: KIND, kinds: KINDS, acl };
    this.id = checkText('options.id', id);
  }

  /**
   * Stands for election, leads once and resigns; settles like `onElected`. With a client that
   * renews its session, a leader that loses its place stands again when `onElected` has settled.
   * @throws before the election, the errors of Lock.acquire
   */
  async lead<T>(options: LeadOptions<T>): Promise<T> {
    const { onElected } = readFields('options', options, ['onElected'], WAIT_NAMES);
    const { signal, timeoutMs } = checkWaitOptions(options, ['onElected']);
    checkFunction('options.onElected', onElected);
    for (;;) {
      const turn = await takeTurn(this.line, Buffer.from(this.id), { signal, timeoutMs });
      const work = this.leadOnce(turn, onElected, signal);
      await work.catch(() => undefined);
      const isLost = turn.signal.aborted && signal?.aborted !== true;
      if (!isLost || !this.line.client.renewsSession) return work;
    }
  }

  private async leadOnce<T>(
    turn: Turn,
    onElected: LeadOptions<T>['onElected'],
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const unlisten = onAbort(signal, () => turn.abort(signal?.reason));
    const { fencingToken } = turn;
    let acknowledgement: EphemeralNode | undefined;
    const acknowledge = async (): Promise<void> => {
      acknowledgement ??= this.acknowledgement();
      await acknowledgement.enter(Buffer.from(this.id), turn.signal);
    };
    try {
      return await onElected({ fencingToken, signal: turn.signal, acknowledge });
    } finally {
      unlisten();
      await acknowledgement?.leave();
      await turn.leave();
    }
  }

  /**
   * The id of the candidate that leads or is about to lead; undefined without candidates. Like any
   * read, it may be stale. @throws ZooKeeperError of a refused request or an ended session
   */
  leader(options: WaitOptions = {}): Promise<string | undefined> {
    return this.within(options, async (wait) => {
      const found = await firstPlace(this.line, wait);
      return found && idOf(found);
    });
  }

  /** The ids of all candidates, the first one leads or is about to lead. @throws ZooKeeperError */
  candidates(options: WaitOptions = {}): Promise<readonly string[]> {
    const { parent } = this.line;
    return this.within(options, async (wait) => {
      const names = membersOf(await childrenOf(wait, parent), ...KINDS);
      const read = names.map((name) => readIfThere(wait, childPath(parent, name)));
      return (await Promise.all(read)).flatMap((each) => (each === undefined ? [] : [idOf(each)]));
    });
  }

  /** The id of the acknowledged leader; undefined without one. */
  acknowledged(options: WaitOptions = {}): Promise<string | undefined> {
    return this.within(options, async (wait) => {
      const found = await readIfThere(wait, childPath(this.line.parent, ACKNOWLEDGED));
      return found && idOf(found);
    });
  }

  /**
   * The result of leader(), now and after each change; a quick succession may skip some. Throws
   * when the signal aborts or the session ends.
   */
  changes(options: LoopOptions = {}): AsyncGenerator<string | undefined, never> {
    const { signal } = checkLoopOptions(options);
    return firstPlaces(this.line, signal, idOf, (a, b) => a === b);
  }

  private within<T>(options: WaitOptions, work: (wait: Wait) => Promise<T>): Promise<T> {
    const { client, parent } = this.line;
    return limited(options, { client, path: parent }, 'no answer', (signal) =>
      work({ client, path: parent, signal }),
    );
  }

  private acknowledgement(): EphemeralNode {
    const { client, parent, acl } = this.line;
    const path = childPath(parent, ACKNOWLEDGED);
    // An earlier leader may have lost its place but not its session: replace its znode.
    return new EphemeralNode({ client, path, acl, isReplacing: true });
  }
}

function idOf({ data }: Pick<Znode, 'data'>): string {
  return data?.toString() ?? '';
}
