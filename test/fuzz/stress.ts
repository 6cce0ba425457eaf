/**
 * A part of an input many times over, as a stranger would send it: what is kept of it, and does
 * each repeat cost more than those before? Costs are compared with each other, never with a clock.
 */
import { heapInUse } from './heap.js';
import { piecesOf, type Repeat } from './repeat.js';
import type { Stranger } from './target.js';

const FIRST_SIZE = 256 * 1024;
const SIZE = 576 * 1024;
/** What a stranger's bytes may cost while they are held, in bytes a byte. */
const KEPT_PER_BYTE = 16;
const KEPT_SLACK = 1024 * 1024;
/** The last quarter costs 3.5 times the second eighth and the third where it is quadratic. */
const SUSPICIOUS = 1.7;
/** Twice as many bytes may cost so many times as much: four would be quadratic. */
const TOO_MUCH = 3;
/** Below it the cost is more of other things than of the repeats. */
const MEASURABLE_MS = 4;
const EIGHTHS = 8;
const SAMPLES = 5;

type Connect = () => Stranger;

/** @returns the problem, or '' */
export function stress(connect: Connect, repeat: Repeat): string {
  const { costs, growth } = measure(connect, repeat);
  // Again, since the first time code is compiled and kept, too.
  if (growth !== '') return measure(connect, repeat).growth;
  const early = (costs[1] ?? 0) + (costs[2] ?? 0);
  const late = (costs[EIGHTHS - 2] ?? 0) + (costs[EIGHTHS - 1] ?? 0);
  if (late < MEASURABLE_MS || late < early * SUSPICIOUS) return '';
  // Twice, since others on the machine spoil a whole row of samples at times.
  const ratio = Math.min(medianRatio(connect, repeat), medianRatio(connect, repeat));
  if (ratio < TOO_MUCH) return '';
  return `slowdown: ${SIZE} bytes cost ${ratio.toFixed(1)} times ${SIZE / 2} (expected 2)`;
}

interface Measured {
  /** In milliseconds, of each eighth of the bytes. */
  readonly costs: readonly number[];
  /** The problem, or ''. */
  readonly growth: string;
}

function measure(connect: Connect, repeat: Repeat): Measured {
  const pieces = piecesOf(repeat, FIRST_SIZE);
  const stranger = connect();
  stranger.push(Buffer.from(repeat.lead));
  const before = heapInUse();
  const costs = Array.from({ length: EIGHTHS }, () => 0);
  for (const [i, piece] of pieces.entries()) {
    const eighth = Math.floor((i * EIGHTHS) / pieces.length);
    costs[eighth] = (costs[eighth] ?? 0) + costOf(stranger, [piece]);
  }
  const after = heapInUse();
  stranger.leave();
  // What a client stores is the tree's; what goes with it is what its connection held.
  const held = stranger.isStored ? after - heapInUse() : after - before;
  const most = stranger.bytes * KEPT_PER_BYTE + KEPT_SLACK;
  if (held <= most) return { costs, growth: '' };
  const growth = `growth: ${stranger.bytes} bytes keep ${held} (expected at most ${most})`;
  return { costs, growth };
}

/** Of twice the bytes. A collection or others on the machine spoil one sample. */
function medianRatio(connect: Connect, repeat: Repeat): number {
  const [whole, half] = [piecesOf(repeat, SIZE), piecesOf(repeat, SIZE / 2)];
  const sample = (pieces: readonly Buffer[]): number => {
    const stranger = connect();
    stranger.push(Buffer.from(repeat.lead));
    const cost = costOf(stranger, pieces);
    stranger.leave();
    return cost;
  };
  const ratios: number[] = [];
  for (let i = 0; i < SAMPLES; i++) ratios.push(sample(whole) / sample(half));
  return ratios.sort((a, b) => a - b)[SAMPLES >> 1] ?? 0;
}

/** In milliseconds of this process: what others do on the machine does not count. */
function costOf(stranger: Stranger, pieces: readonly Buffer[]): number {
  const before = process.cpuUsage();
  for (const piece of pieces) if (!stranger.isHeld) stranger.push(Buffer.from(piece));
  return process.cpuUsage(before).user / 1000;
}
