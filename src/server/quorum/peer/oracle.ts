/**
 * Questions to the oracle (oraclePath): may one of two voters go on without the other? Each
 * decision needs a new answer, because the file may change at any time (QuorumOracleMaj).
 */
import { assert } from '../../../base/assert.js';
import type { QuorumEffect } from '../../effects.js';

export class Oracle {
  private readonly emit: (effect: QuorumEffect) => void;
  /** The number of the last question. */
  private asked = 0;
  /** Whether the last question waits for its answer; `forget` closes it without one. */
  private isOpen = false;

  constructor(emit: (effect: QuorumEffect) => void) {
    this.emit = emit;
  }

  /** Asks, unless a question waits for its answer. */
  readonly ask = (): void => {
    if (this.isOpen) return;
    this.isOpen = true;
    this.asked++;
    assert(Number.isSafeInteger(this.asked), 'request: no number left', this.asked);
    this.emit({ kind: 'ask-oracle', question: this.asked });
  };

  /** The answer would come too late: the other voter is here, or the role has changed. */
  forget(): void {
    this.isOpen = false;
  }

  /** Whether the answer is to the open question. */
  isAnswer(question: number): boolean {
    assert(question <= this.asked, 'request: an answer before its question', question, this.asked);
    if (!this.isOpen || question !== this.asked) return false;
    this.isOpen = false;
    return true;
  }
}
