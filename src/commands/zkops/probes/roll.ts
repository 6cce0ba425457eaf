// A rolling restart: observers, followers, then the leader, each by the command of the user. The
// next restart waits until the ensemble is whole again. The first doubt stops the roll, because a
// second restart during a problem can lose the quorum.

import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { formatZxid } from '../../../protocol/zxid.js';
import { adminUrlOf, nameOf } from '../../ensemble/member-address.js';
import { runFault } from '../../ensemble/run-fault.js';
import { type MemberStatus, sidOf, statusOf } from '../../ensemble/status.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult, Problem } from '../../ensemble/verdict/result.js';
import { fileOption, textOption, WAIT } from '../../machine/declaration.js';
import { CommandError, usageError } from '../../program/command-error.js';
import { takeRunLock } from '../../program/run-lock.js';
import type { Report, Row } from '../../results/result.js';
import { requestMove } from '../calls/admin-transfer.js';
import { TIME_OPTIONS } from '../calls/options.js';
import { type Task, type TaskCall, unlessDryRun } from '../calls/task.js';
import { askMembers } from './ask-members.js';
import { Doubt, doubtOf, PAUSE_MS, settle } from './doubt.js';
import { mayStop, quorumOf, restartOrder } from './may-stop.js';
import { leaderOf, takesHandover } from './move-leader.js';
import { RollCommand, runCommand } from './roll-command.js';
import { openRoll, type Roll, saveRoll } from './roll-file.js';
import { type Restart, wasRestarted } from './was-restarted.js';

const DEFAULT_WAIT_MS = 120_000;
/** An election takes less time. A problem that remains is not an election. */
const FIRST_WAIT_MS = 10_000;
/** A roll may take hours. A lock without a living process is stale at once. */
const LOCK_MS = 7 * 86_400_000;

class RollingRestart {
  readonly problems: Problem[] = [];
  private readonly call: TaskCall;
  private readonly command: RollCommand;
  private readonly file: string | undefined;
  private readonly waitMs: number;
  private roll: Roll;

  constructor(call: TaskCall) {
    const template = call.text('command');
    if (template === undefined)
      throw usageError('roll: missing option (expected --command TEMPLATE)');
    const members = call.members.map(nameOf);
    this.call = call;
    this.command = new RollCommand(template);
    // Refuse a member before the first restart.
    for (const address of call.members) this.command.textFor(address, undefined);
    this.file = call.text('resume');
    this.waitMs = call.number('wait') ?? DEFAULT_WAIT_MS;
    const fresh = { command: template, members, ids: {}, done: [], underway: null };
    this.roll = openRoll(this.file, fresh);
  }

  get summary(): string {
    const { done, members } = this.roll;
    return `${done.length} of ${members.length} members restarted`;
  }

  /** Yields one row for each member. */
  async *run(): AsyncGenerator<readonly Row[]> {
    const lock = this.lock();
    try {
      let result = await this.firstPoll();
      yield this.roll.done.map((name): Row => [name, undefined, 'restarted earlier']);
      for (;;) {
        const next = this.nextOf(result);
        if (next === undefined) break;
        const startedAt = performance.now();
        this.checkSafe(result, next);
        result = await this.restart(result, next);
        const tookMs = Math.round(performance.now() - startedAt);
        yield [[next.member.server, next.role, 'restarted', tookMs, this.textFor(next)]];
      }
      if (this.file !== undefined) rmSync(this.file, { force: true });
    } catch (error) {
      if (!(error instanceof Doubt)) throw error;
      this.problems.push({ level: 'critical', code: 'roll-stopped', text: this.adviceOn(error) });
    } finally {
      lock?.release();
    }
  }

  /** The restarts that `run` would do now. Roles may change later. */
  async *plan(): AsyncGenerator<readonly Row[]> {
    const result = await this.poll();
    this.learnIds(result);
    const { done } = this.roll;
    const left = restartOrder(result.members.map(statusOf));
    yield left.map((status): Row => {
      const { server } = status.member;
      const result = done.includes(server) ? 'restarted earlier' : 'would restart';
      return [server, status.role, result, undefined, this.textFor(status)];
    });
    const next = this.nextOf(result);
    const why =
      doubtOf(result, this.roll.underway) ??
      (next === undefined ? undefined : this.unsafe(result, next));
    if (why === undefined) return;
    this.problems.push({ level: 'critical', code: 'roll-stopped', text: `would stop: ${why}` });
  }

  private lock(): { release(): void } | undefined {
    if (this.file === undefined) return undefined;
    const taken = takeRunLock(`${this.file}.lock`, LOCK_MS, this.call.now().getTime());
    if ('release' in taken) return taken;
    throw runFault(
      `--resume ${this.file}: another roll is under way: process ${taken.heldBy}\nWait for its end`,
    );
  }

  private settle(
    find: (result: OpsResult) => string | undefined,
    waitMs = this.waitMs,
  ): Promise<OpsResult> {
    const poll = () => {
      this.tell('wait for the ensemble');
      return this.poll();
    };
    return settle({ poll, find, waitMs, signal: this.call.signal });
  }

  /** Again at each poll: the line of progress appears after a moment. */
  private tell(what: string): void {
    this.call.progress(what, this.roll.done.length, this.roll.members.length);
  }

  private poll(): Promise<OpsResult> {
    const words = ['srvr', 'mntr', 'conf'] as const;
    return askMembers(this.call, words, { judge: 'ensemble', extraWords: ['conf'] });
  }

  private async firstPoll(): Promise<OpsResult> {
    const waitMs = Math.min(this.waitMs, FIRST_WAIT_MS);
    const result = await this.settle((seen) => doubtOf(seen, this.roll.underway), waitMs);
    this.learnIds(result);
    return result;
  }

  /** @throws CommandError if the command needs the id of a member that reports none */
  private learnIds({ members }: OpsResult): void {
    if (!this.command.needsId) return;
    const ids = { ...this.roll.ids };
    for (const member of members) {
      const id = sidOf(member) ?? ids[member.server];
      if (id === undefined) {
        throw usageError(
          `{id}: ${member.server} does not report its id: add conf to its 4lw.commands.whitelist, or use {host}, {port}, or {name}`,
        );
      }
      ids[member.server] = id;
    }
    this.roll = { ...this.roll, ids };
  }

  private textFor({ member }: MemberStatus): string {
    return this.command.textFor(member.address, this.roll.ids[member.server]);
  }

  /** The member with an interrupted restart comes first, in any role. */
  private nextOf({ members }: OpsResult): MemberStatus | undefined {
    const { done, underway } = this.roll;
    const left = restartOrder(members.map(statusOf)).filter(
      ({ member }) => !done.includes(member.server),
    );
    return left.find(({ member }) => member.server === underway) ?? left[0];
  }

  private unsafe({ members }: OpsResult, next: MemberStatus): string | undefined {
    const { isSafe, why } = mayStop(next, quorumOf(members.map(statusOf)));
    return isSafe ? undefined : `${next.member.server} must not be stopped: ${why}`;
  }

  private checkSafe(result: OpsResult, next: MemberStatus): void {
    const why = this.unsafe(result, next);
    if (why !== undefined) throw new Doubt(why);
  }

  /**
   * Before the leader restarts, a member that was restarted leads, so the clients need not wait for
   * an election. The restart needs no more than that, so nothing here stops the roll.
   */
  private async relieved(before: OpsResult, leader: MemberStatus): Promise<OpsResult> {
    const admin = adminUrlOf(leader.member.address);
    const { done } = this.roll;
    const next = before.members
      .map(statusOf)
      .filter(({ role, isServing }) => role === 'follower' && isServing)
      .find((status) => done.includes(status.member.server) && takesHandover(status));
    if (admin === undefined || next?.sid === undefined) return before;
    const { signal } = this.call;
    try {
      await requestMove({ admin, auth: undefined, signal }, next.sid);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CommandError) return before;
      throw error;
    }
    return this.settle((result) => {
      const isMoved = leaderOf(result)?.member.server === next.member.server;
      return isMoved ? doubtOf(result, null) : `${next.member.server} does not lead`;
    });
  }

  private async restart(found: OpsResult, chosen: MemberStatus): Promise<OpsResult> {
    const { server } = chosen.member;
    const before = chosen.role === 'leader' ? await this.relieved(found, chosen) : found;
    const [target = chosen] = before.members
      .map(statusOf)
      .filter(({ member }) => member.server === server);
    this.keep({ underway: server });
    const attempt: Restart = { before: target, startedAt: performance.now(), wasDown: false };
    const failure = await this.commandWatched(attempt);
    this.call.signal.throwIfAborted();
    if (failure !== undefined) throw new Doubt(`${server}: the command failed: ${failure}`);
    this.roll = { ...this.roll, underway: null };
    const newest = newestZxid(before);
    const result = await this.settle((seen) => this.doubtAfter(attempt, seen, newest));
    this.keep({ underway: null, done: [...this.roll.done, server] });
    return result;
  }

  /** Looks at the member while the command runs, because the restart may be over when it ends. */
  private async commandWatched(attempt: Restart): Promise<string | undefined> {
    const { before } = attempt;
    const address = before.member.address;
    let isRunning = true;
    const watch = async (): Promise<void> => {
      while (isRunning) {
        this.tell(`restart ${before.member.server}`);
        const { members } = await askMembers({ ...this.call, members: [address] }, ['srvr']);
        attempt.wasDown ||= members.some((member) => !statusOf(member).isServing);
        await delay(PAUSE_MS);
      }
    };
    const watching = watch();
    try {
      return await runCommand(this.textFor(before), this.waitMs, this.call.signal);
    } finally {
      isRunning = false;
      await watching;
    }
  }

  /** The reason not to continue: the restart did not happen, or a problem remains. */
  private doubtAfter(attempt: Restart, result: OpsResult, newest: bigint): string | undefined {
    const { server } = attempt.before.member;
    const status = result.members.map(statusOf).find(({ member }) => member.server === server);
    if (status === undefined || !status.isServing) attempt.wasDown = true;
    const doubt = doubtOf(result, this.roll.underway);
    if (doubt !== undefined) return doubt;
    if (status === undefined || !wasRestarted(attempt, status)) {
      return `${server}: the command ended, but the member did not restart`;
    }
    const { zxid = 0n } = status;
    if (zxid >= newest) return undefined;
    return `${server} lags: zxid ${formatZxid(zxid)} (expected at least ${formatZxid(newest)})`;
  }

  private keep(change: Partial<Roll>): void {
    this.roll = { ...this.roll, ...change };
    saveRoll(this.file, this.roll);
  }

  private adviceOn({ message }: Doubt): string {
    const { done } = this.roll;
    const again =
      this.file === undefined
        ? 'then roll again; with --resume FILE a roll skips the members that it has restarted'
        : `then run the same command again: it skips the ${done.length} members that are done`;
    return `stopped: ${message}; correct this, check with zkops gate, ${again}`;
  }
}

/** The newest zxid of a txn. A leader without one has only the zxid of its epoch. */
function newestZxid({ members }: OpsResult): bigint {
  return members
    .map(statusOf)
    .filter(({ zxid = 0n }) => (zxid & 0xffff_ffffn) !== 0n)
    .reduce((newest, { zxid = 0n }) => (zxid > newest ? zxid : newest), 0n);
}

async function roll(call: TaskCall): Promise<Report> {
  const restart = new RollingRestart(call);
  const isPlan = call.has('dry-run');
  return {
    columns: COLUMNS,
    rows: isPlan ? restart.plan() : restart.run(),
    isEndless: !isPlan,
    finish: () => {
      const { problems } = restart;
      const plan = problems.length === 0 ? 'the roll may begin' : 'the roll would stop';
      return { verdict: concludeFrom(problems, isPlan ? plan : restart.summary) };
    },
  };
}

const COLUMNS = [
  { title: 'MEMBER', key: 'server', width: 20 },
  { key: 'role', width: 8 },
  { key: 'result', width: 17 },
  { key: 'took_ms', width: 7 },
  { key: 'command' },
];

export const rollTask: Task = {
  name: 'roll',
  options: {
    command: textOption('TEMPLATE', 'shell command that restarts {host}, {port}, {id}, or {name}'),
    wait: {
      ...WAIT,
      valueName: 'TIME',
      fallback: DEFAULT_WAIT_MS,
      summary: 'timeout for each command, and for the ensemble after it',
    },
    resume: fileOption('file that records finished members, to continue an interrupted roll'),
    'dry-run': { letter: 'n', summary: 'print the order and the commands, and restart nothing' },
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: unlessDryRun,
  run: roll,
};
