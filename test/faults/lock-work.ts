/**
 * Clients that take a lock, write while they hold it, and release or lose it. The layout is that of
 * the recipe: an ephemeral sequential znode for each place in the line. The lowest one holds the
 * lock. The token is the czxid of that znode. Each write under the lock is a multi that checks the
 * znode, so the ensemble refuses a write after the place is gone.
 */
import type { HistoryRecorder } from '../history/recorder.js';
import { Flags } from '../sim/clients/requests.js';
import type { Random } from '../support/random.js';
import {
  type Asker,
  check,
  closeSession,
  create,
  getChildren,
  multi,
  remove,
  setData,
  sync,
} from './requests.js';

/** Then clients use another lock, because the judge checks each list against all past places. */
const TURNS_OF_LOCK = 50;
/** The number of checks for the first place before a client leaves the line. */
const LOOKS = 8;
const PAUSE_MS = 20;

/** `kept`: the connection still works; `lost`: it does not; `closed`: the session has ended. */
export type TurnEnd = 'kept' | 'lost' | 'closed';

interface Hold {
  readonly asker: Asker;
  readonly lock: string;
  readonly path: string;
  readonly token: number;
  /** From this time the holder gives up the lock, unless it hears from the leader again. */
  until: number;
}

export class LockWork {
  private readonly recorder: HistoryRecorder;
  private readonly leaseMs: number;
  private readonly holds = new Set<Hold>();
  /** A lock where the session may have an unwanted place in line. */
  private readonly untidy = new Map<string, string>();
  private lock = '';
  private turns = 0;

  /** @param sessionTimeoutMs session timeout of the lock clients */
  constructor(recorder: HistoryRecorder, sessionTimeoutMs: number) {
    this.recorder = recorder;
    // The other half covers the time until the session's last ping reaches the leader.
    this.leaseMs = sessionTimeoutMs / 2;
  }

  async turn(asker: Asker, random: Random): Promise<TurnEnd> {
    const { process, session } = asker;
    const turn = this.turns++;
    const isDue = this.lock === '' || turn % TURNS_OF_LOCK === 0;
    if (isDue && !(await this.makeLock(asker, `/lock-${turn}`))) return 'lost';
    const { lock } = this;
    if (lock === '') return 'kept';
    const id = this.recorder.invoke(process, session, 'acquire', { lock });
    const hold = await this.enter(asker, lock, turn);
    if (hold === 'lost') {
      this.recorder.unknown(id);
      return 'lost';
    }
    if (hold === undefined) {
      this.recorder.fail(id, 'HELD');
      return (await this.tidy(asker)) ? 'kept' : 'lost';
    }
    this.endLapsed();
    this.recorder.ok(id, { token: hold.token });
    this.holds.add(hold);
    const end = await this.use(hold, random);
    if (end === 'lost') this.lose(hold);
    this.holds.delete(hold);
    return end;
  }

  /** Deletes places in the line that were taken on a lost connection. */
  async tidy({ session, ask }: Asker): Promise<boolean> {
    const lock = this.untidy.get(session);
    if (lock === undefined) return true;
    if ((await ask(sync(lock))) === undefined) return false;
    const list = await ask(getChildren(lock));
    if (list === undefined) return false;
    for (const name of list.result.children ?? []) {
      if (!name.startsWith(`${session}-`)) continue;
      if ((await ask(remove(`${lock}/${name}`))) === undefined) return false;
    }
    if (list.error === undefined) this.untidy.delete(session);
    return true;
  }

  /** @returns whether the connection still works */
  private async makeLock({ ask }: Asker, lock: string): Promise<boolean> {
    const answer = await ask(create(lock, ''));
    if (answer !== undefined && answer.error === undefined) this.lock = lock;
    return answer !== undefined;
  }

  private async enter(
    asker: Asker,
    lock: string,
    turn: number,
  ): Promise<Hold | 'lost' | undefined> {
    const { session, ask } = asker;
    this.untidy.set(session, lock);
    // The prefix identifies a place whose response was lost.
    const prefix = `${lock}/${session}-${turn}-`;
    const place = await ask(create(prefix, '', Flags.ephemeralSequential));
    if (place === undefined) return 'lost';
    const { path = prefix } = place.result;
    for (let looks = 0; looks < LOOKS; looks++) {
      const until = performance.now() + this.leaseMs;
      if ((await ask(sync(lock))) === undefined) return 'lost';
      const list = await ask(getChildren(lock));
      if (list === undefined) return 'lost';
      const isFirst = lowest(list.result.children ?? []) === path.slice(lock.length + 1);
      if (isFirst && performance.now() < until) {
        return { asker, lock, path, token: Number(place.zxid), until };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  }

  private async use(hold: Hold, random: Random): Promise<TurnEnd> {
    const { asker, lock, path, token } = hold;
    const { process, session, ask } = asker;
    const writes = 1 + random.below(4);
    for (let count = 0; count < writes; count++) {
      const until = performance.now() + this.leaseMs;
      // The lock protects data of its own znode.
      const write = setData(lock, `${token}:${count}`);
      const answer = await ask(multi([check(path, 0), write]));
      if (answer === undefined) return 'lost';
      if (answer.error === undefined) hold.until = until;
    }
    // The client dies while it holds the lock: it loses its connection or its session.
    if (random.oneIn(8)) return 'lost';
    if (random.oneIn(16)) return (await ask(closeSession())) === undefined ? 'lost' : 'closed';
    const id = this.recorder.invoke(process, session, 'release', { lock, token });
    if ((await ask(remove(path))) === undefined) {
      this.recorder.unknown(id);
      return 'lost';
    }
    this.recorder.ok(id);
    this.untidy.delete(session);
    return 'kept';
  }

  /** Holders give up if they have not heard from the leader for too long, by their clocks. */
  private endLapsed(): void {
    for (const hold of this.holds) if (performance.now() >= hold.until) this.lose(hold);
  }

  private lose(hold: Hold): void {
    const { asker, lock, token } = hold;
    if (!this.holds.delete(hold)) return;
    this.recorder.mark(asker.process, asker.session, 'lockLost', { lock, token });
  }
}

/** Sorts by number, because the prefixes differ. */
function lowest(names: readonly string[]): string | undefined {
  const numberOf = (name: string): number => Number(name.slice(-10));
  return [...names].sort((a, b) => numberOf(a) - numberOf(b))[0];
}
