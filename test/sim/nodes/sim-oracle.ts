import { Leader } from '../../../src/server/quorum/leading/leader.js';
import type { Random } from '../../support/random.js';
import type { Shape } from '../shape.js';
import type { Network } from './network.js';
import type { ServerNode } from './server-node.js';

/** The longest time until the oracle notices a change. */
const CHECK_MS = 500;

export interface OracleWorld {
  readonly network: Network;
  /** Two servers; others do not vote. */
  readonly servers: readonly ServerNode[];
}

/**
 * A failure detector that writes the files of oraclePath as docs/ensembles.md demands: at most one
 * says 1, and only while the other server is down or cut off. Before it says 1 to the other server,
 * both must have been in sync while both files said 0.
 */
export class SimOracle {
  /** Whose file says 1. */
  private word: number | null = null;
  /** Who may know more than the other: its file said 1 since both were last in sync. */
  holder: number | null = null;
  grants = 0;
  private readonly world: OracleWorld;
  private readonly random: Random;
  private readonly isForgetful: boolean;

  /** @param isForgetful it ignores who may know more: writes get lost */
  constructor(world: OracleWorld, random: Random, isForgetful: boolean) {
    this.world = world;
    this.random = random;
    this.isForgetful = isForgetful;
    this.checkLater();
  }

  /** Reads the file of a server: usually soon, sometimes from a disk that hangs. */
  ask(sid: number, answer: (isGranted: boolean) => void): void {
    const { random, world } = this;
    const delayMs = random.oneIn(40) ? random.below(1000) : random.below(4);
    world.network.scheduler.later(delayMs, () => answer(this.word === sid && !random.oneIn(60)));
  }

  private checkLater(): void {
    this.world.network.scheduler.later(20 + this.random.below(CHECK_MS), () => {
      this.check();
      this.checkLater();
    });
  }

  private check(): void {
    const [a, b] = this.world.servers;
    if (a === undefined || b === undefined) return;
    if (this.word !== null) {
      const other = this.word === a.sid ? b : a;
      if (!this.isGone(other)) this.word = null;
      return;
    }
    if (areInSync(a, b)) this.holder = null;
    const free = [a, b].filter((node) => node.isRunning && this.isGone(node === a ? b : a));
    const allowed = free.filter(
      ({ sid }) => this.isForgetful || this.holder === null || this.holder === sid,
    );
    if (allowed.length === 0) return;
    this.word = this.random.pick(allowed).sid;
    this.holder = this.word;
    this.grants++;
  }

  private isGone(node: ServerNode): boolean {
    const { network, servers } = this.world;
    const [a, b] = servers;
    const isCut = a !== undefined && b !== undefined && network.isCut(a.sid, b.sid);
    return !node.isRunning || (isCut && network.isCut(b.sid, a.sid));
  }
}

export function oracleOf(
  kind: NonNullable<Shape['oracle']>,
  world: OracleWorld,
  random: Random,
): SimOracle | null {
  return kind === 'none' ? null : new SimOracle(world, random, kind === 'forgetful');
}

function areInSync(a: ServerNode, b: ServerNode): boolean {
  const leader = [a, b].find(({ peer }) => peer?.isLeading);
  const other = leader === a ? b : a;
  const role = leader?.peer?.role;
  // A leader that hears nothing does not know yet that its follower is gone.
  const isFollowing = other?.peer?.role?.kind === 'following';
  return isFollowing && role instanceof Leader && role.learners.followers().has(other.sid);
}
