/** Outgoing notifications: only the newest one for each server. */

import { LIMITS } from '../../limits/limits.js';
import { encodeNotification, type Notification } from './notification.js';

/** Servers that do not vote and get notifications only because they asked. */
const MAX_ASKERS = LIMITS.electionAskers.value;

export interface Outgoing {
  readonly to: number;
  readonly frame: Buffer;
}

export interface OutboxOptions {
  /** The id of this server: nothing is sent to it. */
  readonly sid: number;
  readonly exceeded?: (limit: 'electionAskers', from: string) => void;
}

export class Outbox {
  private readonly options: OutboxOptions;
  private readonly frames = new Map<number, Buffer>();
  private readonly askerIds = new Set<number>();

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  get askers(): ReadonlySet<number> {
    return this.askerIds;
  }

  /** Whether to answer the server: it asks for the first time, and there is room. */
  addAsker(sid: number): boolean {
    if (this.askerIds.has(sid)) return false;
    if (this.askerIds.size >= MAX_ASKERS) {
      this.options.exceeded?.('electionAskers', `server ${sid}`);
      return false;
    }
    this.askerIds.add(sid);
    return true;
  }

  forgetAskers(): void {
    this.askerIds.clear();
  }

  send(to: number, notification: Notification): void {
    if (to !== this.options.sid) this.frames.set(to, encodeNotification(notification));
  }

  has(to: number): boolean {
    return this.frames.has(to);
  }

  take(): Outgoing[] {
    const frames = [...this.frames].map(([to, frame]) => ({ to, frame }));
    this.frames.clear();
    return frames;
  }
}
