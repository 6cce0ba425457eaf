/** Notifications on their way out: for each server the newest one only. */

import { LIMITS } from '../../limits/limits.js';
import { encodeNotification, type Notification } from './notification.js';

/** Of servers that are no voters, and so are told only because they asked. */
const MAX_ASKERS = LIMITS.electionAskers.value;

export interface Outgoing {
  readonly to: number;
  readonly frame: Buffer;
}

export interface OutboxOptions {
  /** The server's own number: nothing is sent to it. */
  readonly sid: number;
  readonly exceeded?: (limit: 'electionAskers', from: string) => void;
}

export class Outbox {
  private readonly options: OutboxOptions;
  private readonly frames = new Map<number, Buffer>();
  private readonly asked = new Set<number>();

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** Servers without a vote that look for a leader. */
  get askers(): ReadonlySet<number> {
    return this.asked;
  }

  /** Is it to be answered: does it ask for the first time, and is there room? */
  addAsker(sid: number): boolean {
    if (this.asked.has(sid)) return false;
    if (this.asked.size >= MAX_ASKERS) {
      this.options.exceeded?.('electionAskers', `server ${sid}`);
      return false;
    }
    this.asked.add(sid);
    return true;
  }

  forgetAskers(): void {
    this.asked.clear();
  }

  send(to: number, notification: Notification): void {
    if (to !== this.options.sid) this.frames.set(to, encodeNotification(notification));
  }

  /** Has one for this server not been taken? */
  has(to: number): boolean {
    return this.frames.has(to);
  }

  take(): Outgoing[] {
    const frames = [...this.frames].map(([to, frame]) => ({ to, frame }));
    this.frames.clear();
    return frames;
  }
}
