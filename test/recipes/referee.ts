import * as assert from 'uvu/assert';
import type { Held } from '../../src/recipes/locks/lock.js';

/** Counts the current holders, independently of the recipe; fails if there are too many. */
export class Referee {
  readonly tokens: bigint[] = [];
  private readonly most: number;
  private readonly holders: string[] = [];

  /** @param most maximum number of holders; a "write" always holds alone */
  constructor(most: number) {
    this.most = most;
  }

  /** Holds for as long as `work` takes, then releases. */
  async during(
    held: Held,
    work: () => Promise<unknown> = letOthersRun,
    mode = 'read',
  ): Promise<void> {
    assert.not(held.signal.aborted, 'the hold is not lost');
    this.holders.push(mode);
    this.tokens.push(held.fencingToken);
    const most = this.holders.includes('write') ? 1 : this.most;
    assert.ok(this.holders.length <= most, `${this.holders} hold at once`);
    await work();
    assert.not(held.signal.aborted, 'the hold is not lost');
    this.holders.splice(this.holders.indexOf(mode), 1);
    await held.release();
  }

  /** The tokens grow in the order of the holders. */
  checkTokens(count: number): void {
    assert.is(this.tokens.length, count);
    const sorted = [...new Set(this.tokens)].sort((a, b) => (a < b ? -1 : 1));
    assert.equal(this.tokens, sorted);
  }
}

/** Gives other pending work time to run. */
function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
