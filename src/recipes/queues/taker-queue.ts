import { childPath } from '../../protocol/path.js';
import { cleanedUp, limited, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { type Change, changeOnce } from '../base/receipt.js';
import { type Wait, whileAlive } from '../base/session.js';
import { takeTurn } from '../base/turn.js';
import {
  createParent,
  makeContainer,
  NO_DATA,
  readIfThere,
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

const TAKER = 'taker';
/** Timers do not follow a wall clock that jumps, so look at it again after a minute. */
const LONGEST_TIMER_MS = 60_000;

/** A queue whose takers stand in a line: only the first lists the items, and watches for them. */
export abstract class TakerQueue<P extends Place, I extends Place> extends PathRecipe {
  private listing: Listing<P> = { places: [], creations: 0 };

  /**
   * Waits for an item, removes it, and returns it. At most one taker gets it; it is lost if that
   * taker crashes at this moment.
   * @throws RecipeError ETIMEDOUT or ELOST, or EBADDATA for a znode that stays in the queue because
   * its data are invalid; the reason of the signal; ZooKeeperError: if the session ended, the
   * outcome is unknown
   */
  async take(options: WaitOptions = {}): Promise<I> {
    const { client, path, acl, takersPath } = this;
    return limited(options, `${path}: the queue got no item`, async (limit) => {
      const line = { client, parent: takersPath, kind: TAKER, acl };
      const turn = await takeTurn(line, NO_DATA, { signal: limit });
      try {
        const signal = AbortSignal.any([limit, turn.signal]);
        for (;;) {
          const item = await this.next({ client, path, signal });
          const isMine = await this.remove(childPath(path, item.name));
          if (this.listing.places.at(-1)?.name === item.name) this.listing.places.pop();
          if (isMine) return item;
        }
      } finally {
        await cleanedUp(turn.leave(), limit);
      }
    });
  }

  /** The parent of the line of takers. */
  protected abstract get takersPath(): string;

  /** The items among the children, the next one last. */
  protected abstract placesOf(children: readonly string[]): P[];

  /** @throws RecipeError EBADDATA for invalid data */
  protected abstract itemOf(place: P, data: Buffer): I;

  /**
   * Deletes the znode of an item. Once the request is sent, no limit may drop the item.
   * @returns false if another client deleted it
   */
  protected abstract remove(itemPath: string): Promise<boolean>;

  /**
   * A number that differs if the queue got a new item that may be ahead of listed ones. Default:
   * new items are always last.
   */
  protected async creations(_wait: Wait): Promise<number> {
    return 0;
  }

  /** Makes a change below `itemPath` exactly once, and the missing parents before it. */
  protected async change(wait: Wait, itemPath: string, change: Change): Promise<void> {
    const { path, acl } = this;
    for (;;) {
      try {
        await changeOnce(wait, change);
        return;
      } catch (error) {
        await createParent(error, wait, itemPath, acl);
        if (change.parent !== path) await makeContainer(wait, change.parent, acl);
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

  /** Lists the items only if the last listing has none left, or if a later item may be ahead. */
  private async next(wait: Wait): Promise<I> {
    if ((await this.creations(wait)) === this.listing.creations) {
      const item = await this.firstOf(wait, this.listing.places);
      if (item !== undefined) return item;
    }
    for (;;) {
      const item = await this.untilChange(wait);
      if (item !== undefined) return item;
    }
  }

  /** Lists the items, then waits for the time of the next one. @returns undefined after a change */
  private async untilChange(wait: Wait): Promise<I | undefined> {
    let hasChanged = false;
    let tell = (): void => undefined;
    const creations = await this.creations(wait);
    const children = await watchChildren(wait, this.path, () => {
      hasChanged = true;
      tell();
    });
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
  }
}
