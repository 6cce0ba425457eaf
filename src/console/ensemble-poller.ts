/** Polls all members as `zkops health` does; keeps the last result, trends, and changes. */
import { setTimeout as delay } from 'node:timers/promises';
import { type MemberAddress, nameOf } from '../commands/ensemble/member-address.js';
import type { OpsVerb } from '../commands/ensemble/verb.js';
import type { LimitChange } from '../commands/ensemble/verdict/limits.js';
import type { OpsResult, TimedChange, TrendPoint } from '../commands/ensemble/verdict/result.js';
import { type RunOptions, runVerb } from '../commands/ensemble/verdict/run.js';
import { advance, type RunState } from '../commands/ensemble/verdict/run-state.js';
import { formatState, readStateFile } from '../commands/ensemble/verdict/state-file.js';
import { writeAtomically } from '../commands/program/atomic-file.js';
import { inBackground } from '../commands/program/in-background.js';
import { serviceOptions } from '../commands/zkops/calls/service-options.js';
import type { TaskCall } from '../commands/zkops/calls/task.js';
import { health } from '../commands/zkops/verbs/health.js';
import { usable } from './usable.js';

const MAX_CHANGES = 500;
const SAVE_EVERY_MS = 60_000;
/** Time before a critical finding is polled again, as in `zkops health`. */
const CONFIRM_MS = 1000;
const MIN_AGE_MS = 1000;
/** The disk space and the memory for the charts. */
const FIGURE_WORDS = ['dirs', 'envi'] as const;
const POLLED: OpsVerb = {
  ...health,
  words: [...health.words, ...FIGURE_WORDS],
  extraWords: [...(health.extraWords ?? []), ...FIGURE_WORDS],
};

export interface PollOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly limits: readonly LimitChange[];
  /** Keeps trends, leaders, and changes across restarts. */
  readonly file: string | undefined;
}

export class EnsemblePoller {
  private readonly call: TaskCall;
  readonly options: PollOptions;
  private readonly listeners = new Set<() => void>();
  private readonly stop = new AbortController();
  private state: RunState | undefined;
  private last: OpsResult | undefined;
  private first: Promise<void> | undefined;
  private loop: Promise<void> | undefined;
  private savedAt = 0;
  private readonly asked = new Map<string, { atMs: number; answer: Promise<OpsResult> }>();

  /** @throws CommandError for an unreadable file */
  constructor(call: TaskCall, options: PollOptions) {
    this.call = call;
    this.options = options;
    const { file } = options;
    this.state =
      file === undefined
        ? undefined
        : usable(`--trend-file ${file}: cannot read`, () => readStateFile(file));
  }

  start(): void {
    this.first = this.poll();
    this.loop = this.run(this.first);
    inBackground(this.loop, reportFault);
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.loop;
    this.save();
  }

  /** The last result; waits for the first poll. */
  async latest(): Promise<OpsResult> {
    if (this.last === undefined) await this.first;
    if (this.last === undefined) throw new Error('the members have not been queried yet');
    return this.last;
  }

  get members(): readonly MemberAddress[] {
    return this.call.members;
  }

  get trend(): readonly TrendPoint[] {
    return this.state?.trend ?? [];
  }

  /** Newest first. */
  get changes(): readonly TimedChange[] {
    return this.state?.changes ?? [];
  }

  /** Calls after each poll. @returns a function that unsubscribes */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Runs another verb at most once a second, so that many requests do not load the members. */
  ask(verb: OpsVerb, members: readonly MemberAddress[] = this.members): Promise<OpsResult> {
    const key = [verb.name, ...members.map(nameOf)].join(' ');
    const nowMs = performance.now();
    for (const [old, { atMs }] of this.asked) {
      if (nowMs - atMs > MIN_AGE_MS) this.asked.delete(old);
    }
    const known = this.asked.get(key);
    if (known !== undefined) return known.answer;
    const answer = runVerb(verb, members, this.runOptions());
    this.asked.set(key, { atMs: nowMs, answer });
    return answer;
  }

  private runOptions(): RunOptions {
    const { limits, timeoutMs, deadlineMs } = this.options;
    const run = serviceOptions(this.call, { limits, timeoutMs, deadlineMs, confirmMs: CONFIRM_MS });
    return { ...run, signal: this.stop.signal };
  }

  private async run(first: Promise<void>): Promise<void> {
    const { signal } = this.stop;
    await first.catch(reportFault);
    for (;;) {
      await delay(this.options.intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.poll().catch(reportFault);
    }
  }

  private async poll(): Promise<void> {
    const earlier = this.state?.members ?? new Map();
    const found = await runVerb(POLLED, this.members, { ...this.runOptions(), earlier });
    if (this.stop.signal.aborted) return;
    const { state, result } = advance(this.state, found, 1);
    const { time, changes = [] } = result;
    const all = [...changes.map((change) => ({ ...change, time })), ...this.changes];
    this.state = { ...state, changes: all.slice(0, MAX_CHANGES) };
    this.last = result;
    if (result.timeMs - this.savedAt > SAVE_EVERY_MS) this.save();
    for (const listener of this.listeners) listener();
  }

  private save(): void {
    const { file } = this.options;
    if (file === undefined || this.state === undefined) return;
    this.savedAt = this.call.now().getTime();
    try {
      writeAtomically(file, formatState(this.state));
    } catch (error) {
      // A full disk must not end the polls.
      reportFault(error);
    }
  }
}

function reportFault(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`zkops console: ${why}\n`);
}
