import type { Op } from '../../client/base/client.js';
import { hasUnknownOutcome, isCode, withOutcome } from '../../client/base/errors.js';
import { childPath } from '../../protocol/path.js';
import { RecipeError } from '../base/errors.js';
import { type Hold, hold } from '../base/hold.js';
import { cleanedUp, limited, type WaitOptions, whileHeld } from '../base/limit.js';
import { parseMembers } from '../base/members.js';
import { PathRecipe } from '../base/path-recipe.js';
import { type Change, changeOnce, failedAt } from '../base/receipt.js';
import { SequenceNode } from '../base/sequence-node.js';
import { once, retried, untilConnected, type Wait, whileAlive } from '../base/session.js';
import {
  childrenOf,
  createParent,
  makeContainer,
  NO_DATA,
  readIfThere,
  WaitWatches,
  watchChildren,
} from '../base/znodes.js';

/** The znode of an item. */
export interface Place {
  /** Below the queue's path. */
  readonly name: string;
  /** Takers get it from this time on, in milliseconds since 1970. Default: at once. */
  readonly at?: number;
}

/** One listing of a queue serves many takes. */
interface Listing<P> {
  /** The next item last. */
  readonly places: P[];
  /** See creations(). */
  readonly creations: number;
}

/** In the line, take() rejects only when the client has told of the end of its session. */
function ofLiveSession(error: unknown): undefined {
  if (!isCode(error, 'SESSIONEXPIRED') || hasUnknownOutcome(error)) throw error;
}

const TAKER = 'taker';
/** Timers do not follow a wall clock that jumps, so look at it again after a minute. */
const LONGEST_TIMER_MS = 60_000;

/**
 * A queue whose takers stand in a line when they find no item: only the first watches for new ones.
 * A taker that finds an item while nobody stands in line takes it at once.
 */
export abstract class TakerQueue<P extends Place, I extends Place> extends PathRecipe {
  private listing: Listing<P> = { places: [], creations: 0 };
  /** The calls of take() that have not ended. */
  private takers = 0;
  /** Whether others waited at the last take(): then the next one joins their line at once. */
  private isLineLikely = false;

  /**
   * Waits for an item, removes it, and returns it. At most one taker gets it; it is lost if that
   * taker crashes at this moment. Needs the built-in client.
   * @throws TimeoutError, RequestAbortedError; RecipeError ELOST, or EBADDATA for a znode that
   * stays in the queue because its data are invalid; ZooKeeperError: if the session ended, the
   * outcome is unknown
   */
  async take(options: WaitOptions = {}): Promise<I> {
    const { client, path } = this;
    return limited(options, { client, path }, 'the queue got no item', async (limit) => {
      this.takers++;
      try {
        const item = await this.takeAtOnce(this.waitOf(limit)).catch(ofLiveSession);
        return item ?? (await this.takeInLine(limit));
      } finally {
        this.takers--;
      }
    });
  }

  /**
   * Takes the next item if nobody stands in line. With a listing of an earlier take, these are two
   * round trips. @returns undefined without an item that is due, or if another client took it
   */
  private async takeAtOnce(wait: Wait): Promise<I | undefined> {
    if (this.takers > 1 || this.isLineLikely) return undefined;
    const [line, item] = await Promise.all([
      childrenOf(wait, this.takersPath),
      this.listing.places.length === 0 ? this.list(wait) : this.listed(wait),
    ]);
    this.isLineLikely = parseMembers(line, [TAKER]).length > 0;
    if (item === undefined || this.isLineLikely) return undefined;
    const isMine = await this.claimAtOnce(wait, item);
    this.drop(item);
    return isMine ? item : undefined;
  }

  /** @returns false if another client deleted the item */
  private async claimAtOnce(wait: Wait, { name }: Place): Promise<boolean> {
    const { path, acl, takersPath: parent } = this;
    const ops: readonly Op[] = [{ op: 'delete', path: childPath(path, name) }];
    for (;;) {
      try {
        await changeOnce(wait, { ops, parent, acl, isReceiptKept: true });
        return true;
      } catch (error) {
        if (failedAt(error, 0, 'NONODE')) return false;
        if (!failedAt(error, 1, 'NONODE')) throw error;
        await makeContainer(wait, parent, acl);
      }
    }
  }

  private async takeInLine(limit: AbortSignal): Promise<I> {
    const { client, acl, takersPath } = this;
    const node = new SequenceNode({ client, parent: takersPath, kind: TAKER, acl });
    try {
      return await this.takeAs(node, limit);
    } finally {
      await cleanedUp(node.leave(), limit);
    }
  }

  private async takeAs(node: SequenceNode, limit: AbortSignal): Promise<I> {
    const wait = this.waitOf(limit);
    const [, line] = await Promise.all([node.enter(NO_DATA, limit), node.members(wait)]);
    // It is missing if the parent had to be made first.
    const isListed = line.some(({ name }) => name === node.name);
    this.isLineLikely = isListed && line[0]?.name !== node.name;
    await node.waitForTurn(limit, isListed ? line : undefined);
    // Items may have come while it stood in the line. A watch would have to be removed again.
    let isListDue = this.isLineLikely;
    let held: Hold | undefined;
    const waited = async (): Promise<I> => {
      held ??= await hold(node.wait(limit), { isPlace: true });
      return whileHeld(held.signal, limit, (signal) => this.next(this.waitOf(signal)));
    };
    try {
      for (; ; isListDue = false) {
        const known = (await this.listed(wait)) ?? (isListDue ? await this.list(wait) : undefined);
        const item = known ?? (await waited());
        const isMine = await this.claim(node, item, limit);
        this.drop(item);
        if (isMine) return item;
      }
    } finally {
      held?.stop();
    }
  }

  /** An item that no client can take any more. */
  private drop({ name }: Place): void {
    const { places } = this.listing;
    if (places.at(-1)?.name === name) places.pop();
  }

  /**
   * Deletes an item together with the place of this taker, so after a lost reply the place tells
   * whether the item is this taker's.
   * @returns false if another client deleted the item
   */
  private async claim(node: SequenceNode, { name }: Place, limit: AbortSignal): Promise<boolean> {
    const { client } = this;
    const item = childPath(this.path, name);
    const ops: readonly Op[] = [
      { op: 'delete', path: node.path },
      { op: 'delete', path: item },
    ];
    for (;;) {
      try {
        await once(this.waitOf(limit), (call) => client.multi(ops, call));
        node.hasLeft();
        return true;
      } catch (error) {
        if (failedAt(error, 1, 'NONODE')) return false;
        // The end of the session deletes the place, too: it tells nothing then.
        if (isCode(error, 'SESSIONEXPIRED')) throw error;
        if (!failedAt(error, 0, 'NONODE') && !hasUnknownOutcome(error)) throw error;
      }
      if (await this.hasClaimed(node, item)) return true;
    }
  }

  /**
   * After a lost reply to a claim, which no limit may drop then.
   * @returns false if nothing happened
   */
  private async hasClaimed(node: SequenceNode, item: string): Promise<boolean> {
    const { client } = this;
    const wait = this.waitOf();
    try {
      await untilConnected(wait);
      await retried(wait, (call) => client.sync(item, call));
      if ((await retried(wait, (call) => client.exists(node.path, call))) !== null) return false;
      node.hasLeft();
      if ((await retried(wait, (call) => client.exists(item, call))) === null) return true;
    } catch (error) {
      throw withOutcome(error, true);
    }
    throw new RecipeError('ELOST', node.path, 'deleted while it took an item');
  }

  /** The parent of the line of takers. */
  protected abstract get takersPath(): string;

  /** The items among the children, the next one last. */
  protected abstract placesOf(children: readonly string[]): P[];

  /** @throws RecipeError EBADDATA for invalid data */
  protected abstract itemOf(place: P, data: Buffer): I;

  /**
   * A number that differs if the queue got a new item that may be ahead of listed ones. Default:
   * new items are always last.
   */
  protected async creations(_wait: Wait): Promise<number> {
    return 0;
  }

  /** Makes a change below `itemPath` exactly once, and the missing parents before it. */
  protected async change(wait: Wait, itemPath: string, change: Change): Promise<void> {
    const { acl } = this;
    for (;;) {
      try {
        await changeOnce(wait, change);
        return;
      } catch (error) {
        await createParent(error, wait, itemPath, acl);
        await makeContainer(wait, change.parent, acl);
      }
    }
  }

  /** The next item that is due; drops places whose znodes do not exist any more. */
  protected async firstOf(wait: Wait, places: P[]): Promise<I | undefined> {
    for (let last = places.at(-1); last !== undefined; last = places.at(-1)) {
      if ((last.at ?? 0) > Date.now()) return undefined;
      const found = await readIfThere(wait, childPath(this.path, last.name));
      if (found !== undefined) return this.itemOf(last, found.data ?? NO_DATA);
      if (places.at(-1) === last) places.pop();
    }
    return undefined;
  }

  /** The next item of the last listing, unless a later item may be ahead of it. */
  private async listed(wait: Wait): Promise<I | undefined> {
    if (this.listing.places.length === 0) return undefined;
    const [creations, item] = await Promise.all([
      this.creations(wait),
      this.firstOf(wait, this.listing.places),
    ]);
    return creations === this.listing.creations ? item : undefined;
  }

  /** Lists the items. @returns the next one, if it is due */
  private async list(wait: Wait): Promise<I | undefined> {
    const [creations, children] = await Promise.all([
      this.creations(wait),
      childrenOf(wait, this.path),
    ]);
    this.listing = { places: this.placesOf(children), creations };
    return this.firstOf(wait, this.listing.places);
  }

  /** After a change, an item is likely: a watch would have to be removed again. */
  private async next(wait: Wait): Promise<I> {
    let item = await this.untilChange(wait);
    while (item === undefined) item = (await this.list(wait)) ?? (await this.untilChange(wait));
    return item;
  }

  /** Lists the items, then waits for the time of the next one. @returns undefined after a change */
  private async untilChange(wait: Wait): Promise<I | undefined> {
    let hasChanged = false;
    let tell = (): void => undefined;
    const creations = await this.creations(wait);
    const watches = new WaitWatches(wait.client, () => {
      hasChanged = true;
      tell();
    });
    try {
      const children = await watchChildren(wait, this.path, watches);
      this.listing = { places: this.placesOf(children ?? []), creations };
      while (!hasChanged) {
        const { places } = this.listing;
        const item = await this.firstOf(wait, places);
        if (item !== undefined) return item;
        const next = places.at(-1);
        await whileAlive<void>(wait, (resolve) => {
          tell = resolve;
          if (hasChanged) queueMicrotask(resolve);
          if (next === undefined) return () => undefined;
          const ms = Math.min(Math.max((next.at ?? 0) - Date.now(), 0), LONGEST_TIMER_MS);
          const timer = setTimeout(resolve, ms);
          return () => clearTimeout(timer);
        });
      }
      return undefined;
    } finally {
      watches.forget();
    }
  }
}
