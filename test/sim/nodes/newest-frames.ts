import type { Event } from '../../../src/server/events.js';
import type { Scheduler } from '../scheduler.js';
import type { Network } from './network.js';

interface FrameWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  node(sid: number): { step(event: Event): void } | undefined;
}

/** The newest election frame for each other server. Older ones are not sent. */
export class NewestFrames {
  private readonly world: FrameWorld;
  private readonly sid: number;
  private frames = new Map<number, Buffer>();

  constructor(world: FrameWorld, sid: number) {
    this.world = world;
    this.sid = sid;
  }

  clear(): void {
    this.frames = new Map();
  }

  notify(to: number, frame: Buffer): void {
    this.frames.set(to, frame);
    this.post(to, frame);
  }

  /** On a new connection. */
  resend(to: number): void {
    const frame = this.frames.get(to);
    if (frame !== undefined) this.post(to, frame);
  }

  private post(to: number, frame: Buffer): void {
    const { network, scheduler } = this.world;
    const { frames } = this;
    scheduler.later(network.delayMs(), () => {
      const isNewest = this.frames === frames && frames.get(to) === frame;
      if (!isNewest || network.isCut(this.sid, to) || network.isCut(to, this.sid)) return;
      this.world.node(to)?.step({ kind: 'notified', sid: this.sid, frame });
    });
  }
}
