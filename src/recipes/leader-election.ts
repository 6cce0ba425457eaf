import type { ZooKeeperClient } from '../client/client.js';
import type { ACL } from '../protocol/data.js';
import { childPath } from '../protocol/path.js';
import { checkQueuePath, membersOf, type Queue } from './sequence-node.js';
import { hasCode, retried } from './session.js';
import { takeTurn } from './turn.js';

export interface LeaderElectionOptions {
  /** What leader() tells of this candidate: a host and port, for example. */
  readonly id: string;
  /** Of the znodes made, parents among them. Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[];
}

export interface Leadership {
  /** Greater than that of every leader before; see Held in lock.ts. */
  readonly fencingToken: bigint;
  /** Aborted when the leadership is lost (see Held), or by the signal that lead() was given. */
  readonly signal: AbortSignal;
}

export interface LeadOptions<T> {
  /** Withdraws the candidate; while it leads, tells `onElected` to come to its end. */
  readonly signal?: AbortSignal;
  /** Leads. The next candidate follows when it has settled, or when the session has ended. */
  readonly onElected: (leadership: Leadership) => T | Promise<T>;
}

/**
 * Elects one of several processes (Recipes page, "Leader Election").
 *
 * Layout: `<path>/_c_<guid>-leader-<sequence>`, ephemeral, whose data is the candidate's id as
 * UTF-8. Parents, other children and guarantees are those of Lock: at most one leader whose signal is
 * not aborted, in the order of the candidates' znodes, and one candidate woken when a leader goes.
 */
export class LeaderElection {
  private readonly queue: Queue;
  private readonly id: string;

  /** @throws RangeError when the path is none */
  constructor(client: ZooKeeperClient, path: string, options: LeaderElectionOptions) {
    checkQueuePath(path);
    this.queue = { client, parent: path, kind: 'leader', acl: options.acl };
    this.id = options.id;
  }

  /**
   * Stands for election, leads once and resigns; settles as `onElected` does.
   * @throws what Lock.acquire throws, without its timeout, before it is elected
   */
  async lead<T>({ signal, onElected }: LeadOptions<T>): Promise<T> {
    const turn = await takeTurn(this.queue, Buffer.from(this.id), signal ? { signal } : {});
    const withdraw = (): void => turn.abort(signal?.reason);
    if (signal?.aborted) withdraw();
    signal?.addEventListener('abort', withdraw);
    try {
      return await onElected({ fencingToken: turn.fencingToken, signal: turn.signal });
    } finally {
      signal?.removeEventListener('abort', withdraw);
      await turn.leave();
    }
  }

  /**
   * The id of the candidate that leads, or is next to learn that it does; undefined when there is
   * none. As any read, it may be behind.
   * @throws ZooKeeperError of a refused request or an ended session
   */
  async leader(): Promise<string | undefined> {
    const { client, parent, kind } = this.queue;
    const wait = { client, path: parent };
    for (;;) {
      const first = await retried(wait, () => client.getChildren(parent)).then(
        ({ children }) => membersOf(children, kind)[0],
        absent,
      );
      if (first === undefined) return undefined;
      const path = childPath(parent, first);
      const found = await retried(wait, () => client.getData(path)).catch(absent);
      if (found !== undefined) return found.data?.toString() ?? '';
    }
  }
}

/** A znode that is not there is undefined. */
function absent(error: unknown): undefined {
  if (!hasCode(error, 'NONODE')) throw error;
}
