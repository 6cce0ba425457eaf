import * as assert from 'uvu/assert';
import type { Held } from '../../src/recipes/lock.js';

/** Who holds what, kept beside the recipe: it fails when there are more at once than may be. */
export class Referee {
  readonly tokens: bigint[] = [];
  private readonly most: number;
  private readonly holders: string[] = [];

  /** @param most how many may hold at once; a "write" always holds alone */
  constructor(most: number) {
    this.most = most;
  }

  /** Holds for as long as `work` takes, then releases. */
  async during(held: Held, work: () => Promise<unknown> = breathe, mode = 'read'): Promise<void> {
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

  /** The tokens of those who held one after the other grow. */
  checkTokens(count: number): void {
    assert.is(this.tokens.length, count);
    const sorted = [...new Set(this.tokens)].sort((a, b) => (a < b ? -1 : 1));
    assert.equal(this.tokens, sorted);
  }
}

/** Lets whatever else could happen at once happen. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
