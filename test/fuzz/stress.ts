/**
 * An input many times over, as a stranger would send it: what is kept of it, and does each repeat
 * cost more than the one before? Costs are compared with each other, never with a clock.
 */
import { heapInUse } from './heap.js';
import type { Stress, Target } from './target.js';

/** Each three times the one before. */
const SIZES = [64 * 1024, 192 * 1024, 576 * 1024];
const KEPT_SIZE = 512 * 1024;
/** What a stranger's bytes may cost while they are held, in bytes a byte. */
const KEPT_PER_BYTE = 16;
const KEPT_SLACK = 1024 * 1024;
/** Three times the bytes may cost so many times as much: nine would be quadratic. */
const SUSPICIOUS = 5;
/** And twice as many: four would be quadratic. */
const TOO_MUCH = 3;
/** Below it the cost is more of other things than of the repeats. */
const MEASURABLE_MS = 20;
const SAMPLES = 5;

type Make = (bytes: number) => Stress | null;

/** @returns the problems, at most one of each way to repeat the input */
export function stressInput(target: Target, input: Buffer, announce: () => void): string[] {
  const { stress } = target;
  if (stress === undefined) return [];
  const problems: string[] = [];
  for (let way = 0; ; way++) {
    const make = (bytes: number): Stress | null => {
      announce();
      return stress(input, bytes, way);
    };
    const growth = growthOf(make);
    if (growth === null) return problems;
    const problem = growth === '' ? slowdownOf(make) : growth;
    if (problem !== '') problems.push(`${problem}, repeated in way ${way}`);
  }
}

/** @returns null when there is no such way, and '' when nothing is wrong */
function growthOf(make: Make): string | null {
  const stress = make(KEPT_SIZE);
  if (stress === null) return null;
  const before = heapInUse();
  stress.run();
  const after = heapInUse();
  stress.leave();
  // What a client stores is the tree's; what goes with it is what its connection held.
  const held = stress.isStored ? after - heapInUse() : after - before;
  if (held <= stress.bytes * KEPT_PER_BYTE + KEPT_SLACK) return '';
  return `growth: ${stress.bytes} bytes keep ${held} (expected ${KEPT_PER_BYTE} a byte)`;
}

function slowdownOf(make: Make): string {
  let before = Number.POSITIVE_INFINITY;
  let isSuspicious = false;
  for (const bytes of SIZES) {
    const cost = costOf(make, bytes);
    isSuspicious = cost > MEASURABLE_MS && cost > before * SUSPICIOUS;
    before = cost;
  }
  if (!isSuspicious) return '';
  const most = SIZES.at(-1) ?? 0;
  const ratio = medianRatio(make, most / 2);
  if (ratio < TOO_MUCH) return '';
  return `slowdown: ${most} bytes cost ${ratio.toFixed(1)} times ${most / 2} (expected 2)`;
}

/** Of twice the bytes. A collection or others on the machine spoil one sample. */
function medianRatio(make: Make, bytes: number): number {
  const ratios: number[] = [];
  for (let i = 0; i < SAMPLES; i++) ratios.push(costOf(make, bytes * 2) / costOf(make, bytes));
  return ratios.sort((a, b) => a - b)[SAMPLES >> 1] ?? 0;
}

/** In milliseconds of this process: what others do on the machine does not count. */
function costOf(make: Make, bytes: number): number {
  const stress = make(bytes);
  const before = process.cpuUsage();
  stress?.run();
  return process.cpuUsage(before).user / 1000;
}
