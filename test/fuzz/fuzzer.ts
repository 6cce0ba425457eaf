/**
 * A fuzzer that learns: it mutates what it has, and keeps each input that reached a block of the
 * tested code that none had reached before. The same seed gives the same inputs.
 */
import { createHash } from 'node:crypto';
import { Random } from '../support/random.js';
import type { Coverage } from './coverage.js';
import { heapInUse } from './heap.js';
import { Mutator } from './mutator.js';
import { stressInput } from './stress.js';
import type { Target } from './target.js';

/** So long an input may take; parsers take microseconds. */
const SLOW_MS = 1000;
const BATCH = 4096;
const GROWTH_LIMIT = 96 * 1024 * 1024;
const INPUTS_PER_CHECK = 50_000;

export interface Found {
  readonly target: string;
  readonly input: Buffer;
  readonly problem: string;
}

/** Told of each input before it runs, so that a watchdog can name one that hangs. */
export type Announce = (input: Buffer) => void;

export class Fuzzer {
  readonly corpus: Buffer[] = [];
  readonly findings: Found[] = [];
  inputs = 0;
  /** Whether each new input is repeated, too, which takes a second. */
  isStressing = true;
  /** Told at once, for a run that may not come to its end. */
  onFound: (found: Found) => void = () => {};
  readonly target: Target;
  private readonly random: Random;
  private readonly mutator: Mutator;
  private readonly coverage: Coverage | null;
  private readonly announce: Announce;
  private readonly known = new Set<string>();
  private readonly stressed = new Set<string>();
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
  }

  /** Runs the inputs that are there before anything is mutated. */
  begin(inputs: readonly Buffer[]): void {
    this.corpus.push(...inputs);
    for (const input of inputs) {
      this.runOne(input);
      this.stress(input);
    }
    this.coverage?.take();
    this.heap = heapInUse();
  }

  /** Some mutated inputs. */
  step(most = BATCH): void {
    for (let left = Math.min(BATCH, most); left > 0; left--) {
      const input = this.mutator.mutate(this.random.pick(this.corpus), this.corpus);
      this.inputs++;
      this.runOne(input);
      if (this.coverage === null || this.coverage.take() === 0) continue;
      this.corpus.push(input);
      this.stress(input);
      this.coverage.take();
    }
    if (this.inputs >= this.nextCheck) this.checkGrowth();
  }

  private runOne(input: Buffer): void {
    this.announce(input);
    const startedMs = performance.now();
    try {
      this.target.run(input);
    } catch (error) {
      this.report(input, error instanceof Error ? (error.stack ?? error.message) : String(error));
      return;
    }
    const ms = performance.now() - startedMs;
    const { slowMs = SLOW_MS } = this.target;
    // Again in time of this process, since others on the machine may have had it.
    const usedMs = ms > slowMs ? this.usedBy(input) : 0;
    if (usedMs > slowMs) {
      this.report(input, `slow: ${Math.round(usedMs)} ms (expected at most ${slowMs})`);
    }
  }

  private usedBy(input: Buffer): number {
    const before = process.cpuUsage();
    this.target.run(input);
    return process.cpuUsage(before).user / 1000;
  }

  private report(input: Buffer, problem: string): void {
    // One of a kind: the place where it was thrown.
    const frames = problem.split('\n').filter((line) => line.startsWith('    at '));
    const kind =
      frames.length > 0
        ? frames.slice(0, 2).join('\n')
        : problem.replace(/\d+/g, '#') + (this.target.kindOf?.(input) ?? '');
    if (this.known.has(kind)) return;
    this.known.add(kind);
    const found = { target: this.target.name, input, problem };
    this.findings.push(found);
    this.onFound(found);
  }

  private stress(input: Buffer): void {
    const { target } = this;
    const kind = target.kindOf?.(input) ?? '';
    if (!this.isStressing || this.stressed.has(kind)) return;
    if (kind !== '') this.stressed.add(kind);
    const announce = (): void => this.announce(input);
    for (const problem of stressInput(target, input, announce)) this.report(input, problem);
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

/** A name for a file that keeps the input. */
export function nameOf(input: Buffer): string {
  return createHash('sha1').update(input).digest('hex').slice(0, 12);
}
