import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { isOracle39 } from '../../support/apache/oracle.js';
import type { Op, Step, World } from './world.js';
import { type Line, WorldRunner } from './world-runner.js';

/** The first disagreement of two servers. */
export interface Difference {
  /** Index of the step, or -1 for the opening of the clients. */
  readonly step: number;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

interface Deliberate {
  readonly what: string;
  readonly why: string;
  /** Apache's 3.9 does the same as ours. */
  readonly isOnlyFrom38?: boolean;
  covers(ours: Line, theirs: Line): boolean;
}

/**
 * Where the bundled server follows 3.9 and Apache's 3.8.0 cannot, each as narrow as possible.
 * Lines omit the zxid in the header of watch events (-1 up to 3.8).
 */
export const DELIBERATE: readonly Deliberate[] = [
  {
    what: 'exists of a znode that the client may not read',
    why: 'needs READ since 3.8.4 and 3.9.2 (ZOOKEEPER-2590)',
    isOnlyFrom38: true,
    covers: (ours, theirs) =>
      ours.type === OpCode.exists && ours.err === ErrorCode.NOAUTH && theirs.err === ErrorCode.OK,
  },
  {
    what: 'checkWatches of a path that another client watches',
    why: 'up to 3.8, it succeeds if any client watches the path (fixed by ZOOKEEPER-4466)',
    isOnlyFrom38: true,
    covers: (ours, theirs) =>
      ours.type === OpCode.checkWatches &&
      ours.err === ErrorCode.NOWATCHER &&
      theirs.err === ErrorCode.OK,
  },
  {
    what: 'an echoed path with characters beyond the basic plane',
    why: 'Java encodes each surrogate separately (CESU-8), which is invalid UTF-8',
    covers: (ours, theirs) =>
      ours.text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'.repeat(6)) === theirs.text,
  },
  {
    what: 'multiRead with a write among its operations',
    why: 'Apache writes an empty result after the error, which no client reads',
    covers: (ours, theirs) =>
      ours.type === OpCode.multiRead &&
      ours.err === ErrorCode.MARSHALLINGERROR &&
      theirs.err === ErrorCode.MARSHALLINGERROR,
  },
];

/** Plays a world on both servers, step by step, until they disagree. */
export async function compareServers(
  ourPort: number,
  theirPort: number,
  world: World,
): Promise<Difference | undefined> {
  const [ours, theirs] = await Promise.all([
    WorldRunner.start(ourPort, world.clients),
    WorldRunner.start(theirPort, world.clients),
  ]);
  let difference = differenceOf(-1, ours.lines, theirs.lines);
  for (const [index, step] of world.steps.entries()) {
    if (difference !== undefined) break;
    const lines = await Promise.all([ours.runner.step(step), theirs.runner.step(step)]);
    const [our, their] = step.kind === 'end' ? lines.map(inAnyOrder) : lines;
    difference = differenceOf(index, our ?? [], their ?? []);
  }
  await Promise.all([ours.runner.finish(), theirs.runner.finish()]);
  return difference;
}

/** A server may delete the ephemerals of a closed session, and send their events, in any order. */
function inAnyOrder(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort((a, b) => a.client - b.client || (a.text < b.text ? -1 : 1));
}

function differenceOf(
  step: number,
  ours: readonly Line[],
  theirs: readonly Line[],
): Difference | undefined {
  const isSame = ours.length === theirs.length && ours.every((line, i) => agree(line, theirs[i]));
  if (isSame) return undefined;
  return { step, ours: ours.map(shown), theirs: theirs.map(shown) };
}

function agree(ours: Line, theirs: Line | undefined): boolean {
  if (theirs === undefined || ours.client !== theirs.client) return false;
  if (ours.text === theirs.text) return true;
  return DELIBERATE.some(
    ({ isOnlyFrom38, covers }) => !(isOnlyFrom38 && isOracle39) && covers(ours, theirs),
  );
}

function shown({ client, text }: Line): string {
  return `client ${client}: ${text}`;
}

/**
 * A smaller world that still makes a difference: drops runs of steps, then single requests, while
 * `stillDiffers` returns true and `isTimeUp` false.
 */
export async function shrinkWorld(
  world: World,
  stillDiffers: (world: World) => Promise<boolean>,
  isTimeUp: () => boolean,
): Promise<World> {
  const flat = world.steps.flatMap(splitStep);
  let best: World = (await stillDiffers({ ...world, steps: flat }))
    ? { ...world, steps: flat }
    : world;
  for (let size = Math.ceil(best.steps.length / 2); size >= 1 && !isTimeUp(); ) {
    let isSmaller = false;
    for (let at = best.steps.length - size; at > -size && !isTimeUp(); at -= size) {
      const from = Math.max(at, 0);
      const steps = [...best.steps.slice(0, from), ...best.steps.slice(at + size)];
      if (steps.length < best.steps.length && (await stillDiffers({ ...best, steps }))) {
        best = { ...best, steps };
        isSmaller = true;
      }
    }
    if (size === 1 && !isSmaller) break;
    size = Math.max(1, Math.floor(size / 2));
    if (size === 1 && !isSmaller && best.steps.length <= 1) break;
  }
  return best;
}

/** Splits steps into single requests, because few differences need pipelining. */
function splitStep(step: Step): Step[] {
  if (step.kind !== 'requests') return [step];
  return step.ops.map((op: Op) => ({ ...step, ops: [op] }));
}

/** A world as text, one step per line. */
export function formatWorld({ clients, steps }: World): string {
  const lines = steps.map((step) => `  ${JSON.stringify(step, plain)}`);
  return [`${clients} clients`, ...lines].join('\n');
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null && 'type' in value && 'data' in value) {
    const { type, data } = value;
    if (type === 'Buffer' && Array.isArray(data)) return Buffer.from(data).toString('latin1');
  }
  return value;
}
