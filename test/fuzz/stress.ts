/**
 * A part of an input many times over, as a stranger would send it: what is kept of it, and does
 * each repeat cost more than those before? Costs are compared with each other, never with a clock.
 */
import { heapInUse } from './heap.js';
import { piecesOf, type Repeat } from './repeat.js';
import type { Stranger } from './target.js';

const FIRST_SIZE = 256 * 1024;
const SIZE = 576 * 1024;
/** Tells whether the tested code takes more than one. */
const TRIED_SIZE = 1024;
/** What a stranger's bytes may cost while they are held, in bytes a byte. */
const KEPT_PER_BYTE = 16;
const KEPT_SLACK = 1024 * 1024;
/**
 * The last quarter costs 3.5 times the second eighth and the third where it is quadratic. Of fewer
 * bytes, what each costs by itself hides most of that.
 */
const SUSPICIOUS_AT_FIRST = 1.25;
const SUSPICIOUS = 1.7;
/** Twice as many bytes may cost so many times as much: four would be quadratic. */
const TOO_MUCH = 2.8;
/** Below it the cost is more of other things than of the repeats. */
const MEASURABLE_MS = 4;
const EIGHTHS = 8;
const SAMPLES = 3;

type Connect = () => Stranger;

/** @returns the problem, or '', or null when the tested code does not take such repeats */
export function stress(connect: Connect, repeat: Repeat): string | null {
  if (!isTaken(connect(), repeat)) return null;
  const { rise, growth } = measure(connect, repeat, FIRST_SIZE);
  // Again, since the first time code is compiled and kept, too.
  if (growth !== '') return measure(connect, repeat, FIRST_SIZE).growth;
  if (rise < SUSPICIOUS_AT_FIRST) return '';
  const more = measure(connect, repeat, SIZE);
  if (more.growth !== '' || more.rise < SUSPICIOUS) return more.growth;
  // Again, since others on the machine spoil a whole row of samples at times.
  if (medianRatio(connect, repeat) < TOO_MUCH) return '';
  const ratio = medianRatio(connect, repeat);
  if (ratio < TOO_MUCH) return '';
  return `slowdown: ${SIZE} bytes cost ${ratio.toFixed(1)} times ${SIZE / 2} (expected 2)`;
}

function isTaken(stranger: Stranger, repeat: Repeat): boolean {
  for (const piece of [repeat.lead, ...piecesOf(repeat, TRIED_SIZE)]) {
    if (!stranger.isHeld) stranger.push(Buffer.from(piece));
  }
  const isTaken = stranger.isClosed !== true;
  stranger.leave();
  return isTaken;
}

interface Measured {
  /** What the last quarter costs, in terms of the second eighth and the third. */
  readonly rise: number;
  /** The problem, or ''. */
  readonly growth: string;
}

function measure(connect: Connect, repeat: Repeat, size: number): Measured {
  const pieces = piecesOf(repeat, size);
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
  const growth = `growth: ${stranger.bytes} bytes keep ${held} (expected at most ${most})`;
  return { rise: riseOf(costs), growth: held > most ? growth : '' };
}

function riseOf(costs: readonly number[]): number {
  const early = (costs[1] ?? 0) + (costs[2] ?? 0);
  const late = (costs[EIGHTHS - 2] ?? 0) + (costs[EIGHTHS - 1] ?? 0);
  return late < MEASURABLE_MS ? 0 : late / early;
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
  for (let i = 0; i < SAMPLES; i++) {
    const [cost, halfCost] = [sample(whole), sample(half)];
    // What the tested code stops taking costs nothing.
    ratios.push(halfCost < MEASURABLE_MS ? 0 : cost / halfCost);
  }
  return ratios.sort((a, b) => a - b)[SAMPLES >> 1] ?? 0;
}

/** In milliseconds of this process: what others do on the machine does not count. */
function costOf(stranger: Stranger, pieces: readonly Buffer[]): number {
  const before = process.cpuUsage();
  for (const piece of pieces) if (!stranger.isHeld) stranger.push(Buffer.from(piece));
  return process.cpuUsage(before).user / 1000;
}
