/**
 * Repeats a part of an input many times, as an attacker would. It checks the memory kept for it,
 * and whether each repeat costs more than earlier ones. It compares costs with each other, never
 * with a clock.
 */
import { heapInUse } from './heap.js';
import { piecesOf, type Repeat } from './repeat.js';
import type { Stranger } from './target.js';

const FIRST_SIZE = 256 * 1024;
const SIZE = 576 * 1024;
/** Shows whether the tested code accepts more than one. */
const TRIED_SIZE = 1024;
/** The memory that a stranger may use, in bytes per sent byte. */
const KEPT_PER_BYTE = 16;
const KEPT_SLACK = 1024 * 1024;
/**
 * With quadratic cost, the last quarter costs 3.5 times the second and third eighths. With fewer
 * bytes, the constant cost hides most of that.
 */
const SUSPICIOUS_AT_FIRST = 1.25;
const SUSPICIOUS = 1.7;
/** The maximum cost of twice the bytes. Quadratic cost would be four times. */
const TOO_MUCH = 2.8;
/** Below it, other costs dominate. */
const MEASURABLE_MS = 4;
const EIGHTHS = 8;
const SAMPLES = 3;

type Connect = () => Stranger;

/** @returns the problem, or '', or null if the tested code does not accept such repeats */
export function stress(connect: Connect, repeat: Repeat): string | null {
  if (!isTaken(connect(), repeat)) return null;
  const { rise, growth } = measure(connect, repeat, FIRST_SIZE);
  // Again, because the first run also compiles and caches code.
  if (growth !== '') return measure(connect, repeat, FIRST_SIZE).growth;
  if (rise < SUSPICIOUS_AT_FIRST) return '';
  const more = measure(connect, repeat, SIZE);
  if (more.growth !== '' || more.rise < SUSPICIOUS) return more.growth;
  // Again, because load on the machine may spoil several samples in a row.
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
  /** The cost of the last quarter, relative to the second and third eighths. */
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
  // Stored data belongs to the tree. The connection's memory must be freed.
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

/** The cost of twice the bytes. A garbage collection or other load may spoil one sample. */
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
    // Bytes that the tested code does not accept cost nothing.
    ratios.push(halfCost < MEASURABLE_MS ? 0 : cost / halfCost);
  }
  return ratios.sort((a, b) => a - b)[SAMPLES >> 1] ?? 0;
}

/** In milliseconds of CPU time of this process, to exclude load on the machine. */
function costOf(stranger: Stranger, pieces: readonly Buffer[]): number {
  const before = process.cpuUsage();
  for (const piece of pieces) if (!stranger.isHeld) stranger.push(Buffer.from(piece));
  return process.cpuUsage(before).user / 1000;
}
