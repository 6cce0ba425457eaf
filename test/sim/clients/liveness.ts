import type { Random } from '../../support/random.js';
import type { Told } from '../history.js';
import { TICK_MS } from '../nodes/peer-parts.js';
import { Violation } from '../violation.js';
import type { ClientWorld } from './client-world.js';

const TIMEOUTS_MS = [5, 10, 10, 15, 30].map((ticks) => ticks * TICK_MS);
/** The server allows at most 20 ticks. */
const MAX_TIMEOUT_MS = 20 * TICK_MS;

/** The timeout of a session, and the pings that keep it alive. */
export class Liveness {
  /** The timeout that the client asks for. */
  askedMs = TIMEOUTS_MS[1] as number;
  heardMs = 0;
  private readonly world: ClientWorld;
  /** When the oldest ping was sent that is not answered yet. */
  private pingMs = 0;

  constructor(world: ClientWorld) {
    this.world = world;
  }

  private get nowMs(): number {
    return this.world.scheduler.nowMs;
  }

  get timeoutMs(): number {
    return Math.min(this.askedMs, MAX_TIMEOUT_MS);
  }

  /** For a new session. */
  choose(random: Random): void {
    this.askedMs = random.pick(TIMEOUTS_MS);
  }

  get isSilent(): boolean {
    return this.nowMs - this.heardMs > (this.timeoutMs * 2) / 3;
  }

  /** @param beat returns whether it sent a ping */
  later(beat: () => boolean): void {
    this.world.scheduler.later(this.timeoutMs / 6, () => {
      if (beat() && this.pingMs === 0) this.pingMs = this.nowMs;
    });
  }

  answered(told: Told, isReadOnly: boolean): void {
    if (this.pingMs > 0 && !isReadOnly) this.world.history.proven(told, this.pingMs);
    this.pingMs = 0;
  }

  /** @param foundMs of the response to the handshake */
  welcomed(told: Told, foundMs: number, isReadOnly: boolean): void {
    this.pingMs = 0;
    const { timeoutMs } = this;
    const stored = isReadOnly ? undefined : this.world.history.timeoutOf(told.id);
    if (foundMs === timeoutMs && (stored ?? timeoutMs) === timeoutMs) return;
    throw new Violation(
      `a session has a timeout of ${foundMs} ms, stored as ${stored} (expected ${timeoutMs})`,
    );
  }
}
