/**
 * A learning fuzzer: it mutates its inputs, and keeps each that reaches a new block of the tested
 * code. The same seed gives the same inputs.
 */
import { createHash } from 'node:crypto';
import { Random } from '../support/random.js';
import type { Coverage } from './coverage.js';
import { heapInUse } from './heap.js';
import { Mutator } from './mutator.js';
import { type Repeat, repeatsOf } from './repeat.js';
import { stress } from './stress.js';
import type { Stranger, Target } from './target.js';

/** The maximum time of an input. Parsers take microseconds. */
const SLOW_MS = 1000;
const BATCH = 256;
/** A stress takes as long as some hundred inputs, but new kinds become rare. */
const INPUTS_PER_STRESS = 150;
/** Attempts to find an input that was not stressed yet. */
const CHOICES = 8;
const GROWTH_LIMIT = 96 * 1024 * 1024;
const INPUTS_PER_CHECK = 50_000;

export interface Found {
  readonly target: string;
  readonly input: Buffer;
  readonly problem: string;
}

interface Chosen {
  readonly repeat: Repeat;
  readonly way: number;
}

/** Called with each input before it runs, so that a watchdog can name one that hangs. */
export type Announce = (input: Buffer) => void;

export class Fuzzer {
  readonly corpus: Buffer[] = [];
  readonly findings: Found[] = [];
  inputs = 0;
  /** Whether to stress inputs too. */
  isStressing = true;
  /** Called at once, because a run may not reach its end. */
  onFound: (found: Found) => void = () => {};
  readonly target: Target;
  private readonly random: Random;
  private readonly mutator: Mutator;
  private readonly coverage: Coverage | null;
  private readonly announce: Announce;
  private readonly known = new Set<string>();
  /** Kept inputs that were not stressed yet. */
  private fresh: Buffer[] = [];
  /** The index of the next kept input. */
  private pending: Chosen[] = [];
  private readonly stressed = new Set<string>();
  stresses = 0;
  private heap = 0;
  private nextCheck = INPUTS_PER_CHECK;

  /** @param coverage null for a fuzzer that only mutates its seeds */
  constructor(
    target: Target,
    seed: number,
    coverage: Coverage | null,
    announce: Announce = () => {},
  ) {
    this.target = target;
    this.random = new Random(seed);
    this.mutator = new Mutator(this.random, target.words, target.maxLength);
    this.coverage = coverage;
    this.announce = announce;
    target.renew?.();
  }

  /** Runs the existing inputs before any mutation. */
  async begin(inputs: readonly Buffer[]): Promise<void> {
    this.corpus.push(...inputs);
    this.fresh.push(...inputs);
    for (const input of inputs) await this.runOne(input);
    this.coverage?.take();
    this.heap = heapInUse();
  }

  /** Runs some mutated inputs, and sometimes a stress. */
  async step(most = BATCH): Promise<void> {
    for (let left = Math.min(BATCH, most); left > 0; left--) {
      const input = this.mutator.mutate(this.random.pick(this.corpus), this.corpus);
      this.inputs++;
      await this.runOne(input);
      if (this.inputs % INPUTS_PER_STRESS === 0) this.stress();
      if (this.coverage === null || this.coverage.take() === 0) continue;
      this.corpus.push(input);
      this.fresh.push(input);
    }
    if (this.inputs >= this.nextCheck) this.checkGrowth();
  }

  private async runOne(input: Buffer): Promise<void> {
    this.announce(input);
    const startedMs = performance.now();
    try {
      await this.target.run(input);
    } catch (error) {
      this.report(input, error instanceof Error ? (error.stack ?? error.message) : String(error));
      return;
    }
    const ms = performance.now() - startedMs;
    const { slowMs = SLOW_MS } = this.target;
    // Measures again in CPU time of this process, because of load on the machine.
    const usedMs = ms > slowMs ? await this.usedBy(input) : 0;
    if (usedMs > slowMs) {
      this.report(input, `slow: ${Math.round(usedMs)} ms (expected at most ${slowMs})`);
    }
  }

  private async usedBy(input: Buffer): Promise<number> {
    const before = process.cpuUsage();
    await this.target.run(input);
    return process.cpuUsage(before).user / 1000;
  }

  private report(input: Buffer, problem: string): void {
    // One per place where the error was thrown.
    const frames = problem.split('\n').filter((line) => line.startsWith('    at '));
    const kind = frames.length > 0 ? frames.slice(0, 2).join('\n') : problem.replace(/\d+/g, '#');
    if (this.known.has(kind)) return;
    this.known.add(kind);
    const found = { target: this.target.name, input, problem };
    this.findings.push(found);
    this.onFound(found);
  }

  private stress(): void {
    const { target } = this;
    if (!this.isStressing || target.connect === undefined) return;
    for (let i = 0; i < CHOICES; i++) {
      const chosen = this.chooseStress();
      if (chosen === null) continue;
      const { repeat, way } = chosen;
      const head = Buffer.from(target.ways === undefined ? [] : [way]);
      const sent = Buffer.concat([head, repeat.lead, repeat.unit]);
      const connect = (): Stranger => {
        this.announce(sent);
        return target.connect?.(way) as Stranger;
      };
      const problem = stress(connect, repeat);
      // Another input of the kind may be accepted.
      if (problem === null) continue;
      this.stressed.add(`${way} ${repeat.kind}`);
      this.stresses++;
      if (problem !== '') this.report(sent, `${problem}, repeated ${repeat.kind}`);
      return;
    }
  }

  /** Each kept input in turn, then a mutation of it. Null if its kind was stressed already. */
  private chooseStress(): Chosen | null {
    const { random, corpus, fresh } = this;
    for (;;) {
      const next = this.pending.shift();
      if (next !== undefined && !this.isStressed(next)) return next;
      if (next !== undefined) continue;
      const kept = fresh.shift();
      if (kept === undefined) break;
      this.pending = this.repeatsOf(kept);
    }
    const repeats = this.repeatsOf(this.mutator.mutate(random.pick(corpus), corpus));
    if (repeats.length === 0) return null;
    const { repeat, way } = random.pick(repeats);
    const { ways = 1 } = this.target;
    const chosen = { repeat, way: random.oneIn(2) ? way : random.below(ways) };
    return this.isStressed(chosen) ? null : chosen;
  }

  private repeatsOf(input: Buffer): Chosen[] {
    const { ways, units = [] } = this.target;
    const way = ways === undefined ? 0 : (input[0] ?? 0) % ways;
    const sent = input.subarray(ways === undefined ? 0 : 1);
    return repeatsOf(sent, units, this.random).map((repeat) => ({ repeat, way }));
  }

  private isStressed({ repeat, way }: Chosen): boolean {
    return this.stressed.has(`${way} ${repeat.kind}`);
  }

  private checkGrowth(): void {
    this.nextCheck += INPUTS_PER_CHECK;
    const heap = heapInUse();
    const grown = heap - this.heap;
    if (grown > GROWTH_LIMIT) {
      this.report(
        Buffer.alloc(0),
        `growth: the heap grew by ${grown} bytes in ${this.inputs} inputs`,
      );
    }
  }
}

/** A file name for the input. */
export function nameOf(input: Buffer): string {
  return createHash('sha1').update(input).digest('hex').slice(0, 12);
}
