import { inBackground } from '../../commands/program/in-background.js';
import type { LiveSession } from '../../commands/zkops/calls/live.js';
import type { Key } from '../terminal/key-decoder.js';
import { startState, step, type TopEvent, type TopState } from './top-state.js';

export class TopDriver {
  state: TopState;
  private readonly session: LiveSession;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  /** Aborted when the user quits; cancels a running poll. */
  private readonly leaving = new AbortController();
  private isPolling = false;
  private polls = 0;
  private readonly whenDone: () => void;
  readonly done: Promise<void>;

  constructor(session: LiveSession) {
    this.session = session;
    this.state = startState(session);
    let whenDone = (): void => undefined;
    this.done = new Promise((resolve) => {
      whenDone = resolve;
    });
    this.whenDone = whenDone;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(): void {
    this.pollInBackground();
  }

  press(key: Key): void {
    const names = key.type === 'key' ? [key.name] : [...key.text];
    for (const name of names) this.dispatch({ type: 'key', key: name });
  }

  leave(): void {
    clearTimeout(this.timer);
    this.leaving.abort();
    this.whenDone();
  }

  private dispatch(event: TopEvent): void {
    const { state, effects } = step(this.state, event);
    this.state = state;
    for (const listener of this.listeners) listener();
    for (const effect of effects) {
      if (effect === 'quit') this.leave();
      else if (effect === 'poll') this.pollInBackground();
      else inBackground(this.reset(), this.report);
    }
  }

  /** One poll at a time: slow members delay polls instead of piling them up. */
  private async poll(): Promise<void> {
    if (this.isPolling) return;
    clearTimeout(this.timer);
    this.isPolling = true;
    const startedAt = performance.now();
    const { signal } = this.leaving;
    const { by } = this.state;
    let result: Awaited<ReturnType<LiveSession['poll']>>;
    try {
      result = await this.session.poll(this.state, signal);
    } finally {
      this.isPolling = false;
    }
    if (signal.aborted) return;
    this.polls += 1;
    this.dispatch({ type: 'polled', result });
    if (this.polls === this.session.count) {
      this.leave();
      return;
    }
    const spentMs = performance.now() - startedAt;
    // Rows that were chosen meanwhile do not wait.
    const pauseMs = by === this.state.by ? this.session.intervalMs - spentMs : 0;
    this.timer = setTimeout(() => this.tick(), Math.max(0, pauseMs));
  }

  /** A failed poll is reported; the next one follows after the usual interval. */
  private pollInBackground(): void {
    inBackground(this.poll(), (error) => {
      this.report(error);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.tick(), this.session.intervalMs);
    });
  }

  private readonly report = (error: unknown): void => {
    if (this.leaving.signal.aborted) return;
    this.dispatch({
      type: 'notice',
      notice: error instanceof Error ? error.message : String(error),
    });
  };

  private tick(): void {
    if (!this.state.isPaused) this.pollInBackground();
    else this.timer = setTimeout(() => this.tick(), this.session.intervalMs);
  }

  private async reset(): Promise<void> {
    const notice = await this.session.reset();
    if (this.leaving.signal.aborted) return;
    this.dispatch({ type: 'notice', notice });
    this.pollInBackground();
  }
}
