import { RESOURCE_NAMES, type Resources } from './resources.js';

/** The resources of one member in the calm after a cycle. */
export interface Calm {
  readonly cycle: number;
  readonly sid: number;
  /** The process of this life. */
  readonly pid: number;
  readonly resources: Resources;
}

/** The allowed growth within a life: a fraction of the first readings plus a number. */
const ALLOWED: Readonly<Record<keyof Resources, readonly [part: number, more: number]>> = {
  // An allocator returns little memory. It levels off after its peak load.
  rss: [0.25, 100],
  heap: [0.15, 6],
  external: [0.25, 24],
  fds: [0, 4],
  sockets: [0, 4],
  timers: [0, 4],
  watches: [0, 0],
  sessions: [0, 0],
  ephemerals: [0, 0],
  znodes: [0, 0],
};
/** Shorter lives prove nothing, because caches and buffers fill in the first cycles. */
const MIN_CALMS = 6;

/** Lists growth in each life of a member between its second and third calm and its last two. */
export function growthIn(calms: readonly Calm[]): string[] {
  const lives = new Map<number, Calm[]>();
  for (const calm of calms) {
    const life = lives.get(calm.pid);
    if (life === undefined) lives.set(calm.pid, [calm]);
    else life.push(calm);
  }
  const problems: string[] = [];
  for (const life of lives.values()) {
    if (life.length < MIN_CALMS) continue;
    const first = life.slice(1, 3);
    const last = life.slice(-2);
    for (const name of RESOURCE_NAMES) {
      const [before, after] = [first, last].map((few) =>
        Math.min(...few.map(({ resources }) => resources[name])),
      ) as [number, number];
      const [part, more] = ALLOWED[name];
      const most = before * (1 + part) + more;
      if (after <= most) continue;
      const cycles = `cycles ${life[1]?.cycle} to ${last.at(-1)?.cycle}`;
      problems.push(
        `member ${life[0]?.sid}: ${name} grew from ${before} to ${after} (expected at most ${Math.round(most)}) in ${cycles}`,
      );
    }
  }
  return problems;
}

/** One line of the curve. */
export function describe({ cycle, sid, resources }: Calm): string {
  const values = RESOURCE_NAMES.map((name) => `${name} ${resources[name]}`);
  return `cycle ${cycle}, member ${sid}: ${values.join(', ')}`;
}
