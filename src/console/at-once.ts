import { HttpProblem } from './problem.js';

/** Limits how many requests of a kind are under way, of all users, from before their body on. */
export class AtOnce {
  private readonly most: number;
  private readonly what: string;
  private running = 0;

  /** @param what what the user asked for: "transfers run" */
  constructor(most: number, what: string) {
    this.most = most;
    this.what = what;
  }

  /** @throws HttpProblem while `most` others run */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) {
      throw new HttpProblem(503, 'TOOMANY', `${this.most} ${this.what} already`);
    }
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
