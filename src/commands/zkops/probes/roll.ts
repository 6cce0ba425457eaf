import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { metricOf } from '../../../fourlw/mntr.js';
import { safeLine } from '../../../protocol/sanitize.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { metricsOf, serverOf } from '../../ensemble/member.js';
import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import { RunFault } from '../../ensemble/run-fault.js';
import { type MemberStatus, sidOf, statusOf } from '../../ensemble/status.js';
import { UsageError } from '../../ensemble/usage-error.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { OpsResult, Problem } from '../../ensemble/verdict/result.js';
import { writeAtomically } from '../../program/atomic-file.js';
import { hasCode } from '../../program/file-error.js';
import { takeRunLock } from '../../program/run-lock.js';
import { shellWord } from '../../program/shell-word.js';
import { TIME_OPTIONS } from '../calls/options.js';
import {
  type Report,
  type ReportRow,
  type Task,
  type TaskCall,
  unlessDryRun,
} from '../calls/task.js';
import { askMembers } from './ask-members.js';
import { mayStop, quorumOf, restartOrder } from './may-stop.js';

// A rolling restart: observers, followers, then the leader, each by the command of the user. The
// next restart waits until the ensemble is whole again. The first doubt stops the roll, because a
// second restart during a problem can lose the quorum.

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
      throw new UsageError('roll: missing option (expected --command TEMPLATE)');
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
  async *run(): AsyncGenerator<readonly ReportRow[]> {
    const lock = this.lock();
    try {
      let result = await this.firstPoll();
      yield this.roll.done.map((name): ReportRow => [name, undefined, 'restarted earlier']);
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
  async *plan(): AsyncGenerator<readonly ReportRow[]> {
    const result = await this.poll();
    this.learnIds(result);
    const { done } = this.roll;
    const left = restartOrder(result.members.map(statusOf));
    yield left.map((status): ReportRow => {
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
    throw new RunFault(
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
    const words = this.command.needsId
      ? (['srvr', 'mntr', 'conf'] as const)
      : (['srvr', 'mntr'] as const);
    return askMembers(this.call, words, { judge: 'ensemble', extraWords: ['conf'] });
  }

  private async firstPoll(): Promise<OpsResult> {
    const waitMs = Math.min(this.waitMs, FIRST_WAIT_MS);
    const result = await this.settle((seen) => doubtOf(seen, this.roll.underway), waitMs);
    this.learnIds(result);
    return result;
  }

  /** @throws UsageError if the command needs the id of a member that reports none */
  private learnIds({ members }: OpsResult): void {
    if (!this.command.needsId) return;
    const ids = { ...this.roll.ids };
    for (const member of members) {
      const id = sidOf(member) ?? ids[member.server];
      if (id === undefined) {
        throw new UsageError(
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

  private async restart(before: OpsResult, target: MemberStatus): Promise<OpsResult> {
    const { server } = target.member;
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
  { title: 'ROLE', key: 'role', width: 8 },
  { title: 'RESULT', key: 'result', width: 17 },
  { title: 'TOOK ms', key: 'took_ms', width: 7 },
  { title: 'COMMAND', key: 'command' },
];

export const rollTask: Task = {
  name: 'roll',
  options: [
    ['--command <template>', 'shell command that restarts {host}, {port}, {id}, or {name}'],
    [
      '--wait <time>',
      'timeout for each command, and for the ensemble after it',
      'ms',
      DEFAULT_WAIT_MS,
    ],
    ['--resume <file>', 'file that records finished members, to continue an interrupted roll'],
    ['-n, --dry-run', 'print the order and the commands, and restart nothing'],
    ...TIME_OPTIONS,
  ],
  hasMembers: true,
  changesEnsemble: unlessDryRun,
  run: roll,
};

const PAUSE_MS = 250;

/** The reason to stop a change of the ensemble. */
class Doubt extends Error {
  override readonly name = 'Doubt';
}

/** Ignores the member whose restart was interrupted. */
function doubtOf({ verdict, members }: OpsResult, interrupted: string | null): string | undefined {
  const [problem] = verdict.problems.filter(
    ({ server }) => interrupted === null || server !== interrupted,
  );
  if (problem !== undefined) return `${namePrefix(problem)}${problem.text}`;
  const statuses = members.map(statusOf);
  const { voters } = quorumOf(statuses);
  const listed = statuses.filter(({ isObserver }) => !isObserver).length;
  if (listed >= voters) return undefined;
  return `${listed} of ${voters} voters are in the list of members: list all of them`;
}

function namePrefix({ server, text }: Problem): string {
  return server === undefined || text.startsWith(server) ? '' : `${server}: `;
}

export interface Settling {
  readonly poll: () => Promise<OpsResult>;
  /** Returns why a result is not good enough. */
  readonly find: (result: OpsResult) => string | undefined;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Ends after two good polls in a row, since a good state may be short. @throws Doubt */
async function settle({ poll, find, waitMs, signal }: Settling): Promise<OpsResult> {
  const startedAt = performance.now();
  let isGoodBefore = false;
  for (;;) {
    const seen = await poll();
    signal.throwIfAborted();
    const doubt = find(seen);
    if (doubt === undefined && isGoodBefore) return seen;
    isGoodBefore = doubt === undefined;
    const waitedMs = performance.now() - startedAt;
    if (doubt !== undefined && waitedMs > waitMs) {
      throw new Doubt(`${doubt} (waited ${Math.round(waitedMs / 1000)} s)`);
    }
    await delay(PAUSE_MS, undefined, { signal });
  }
}

export interface Restart {
  readonly before: MemberStatus;
  /** By performance.now(), before the command. */
  readonly startedAt: number;
  wasDown: boolean;
}

/** A new process was down, or has a short uptime, or counts fewer packets than before. */
function wasRestarted({ before, startedAt, wasDown }: Restart, now: MemberStatus): boolean {
  if (wasDown || !before.isServing) return true;
  const metrics = metricsOf(now.member);
  const uptimeMs = metrics && metricOf(metrics, 'uptime');
  if (uptimeMs !== undefined) return uptimeMs < performance.now() - startedAt;
  const [packets, packetsBefore] = [now, before].map(({ member }) => serverOf(member)?.received);
  return packets !== undefined && packetsBefore !== undefined && packets < packetsBefore;
}

const SCHEMA = 'zkops-roll/1';

/** The state of a rolling restart, for --resume. */
export interface Roll {
  readonly command: string;
  readonly members: readonly string[];
  /** By name, if the command needs ids: a member that is down reports none. */
  readonly ids: Readonly<Record<string, string>>;
  /** Members that were restarted and are in sync again. */
  readonly done: readonly string[];
  /** The restart of this member began, but its success is unknown. */
  readonly underway: string | null;
}

/** @throws UsageError if the file has another roll, RunFault if it cannot be read */
function openRoll(file: string | undefined, fresh: Roll): Roll {
  const found = file === undefined ? undefined : readRoll(file);
  if (found === undefined) return fresh;
  const isSame =
    found.command === fresh.command &&
    found.members.toSorted().join() === fresh.members.toSorted().join();
  if (isSame) return found;
  throw new UsageError(
    `--resume ${file}: has the state of another roll: ${found.command} on ${found.members.join(', ')}\nFinish that roll with its own command, or remove the file to start a new one`,
  );
}

function saveRoll(file: string | undefined, roll: Roll): void {
  if (file === undefined) return;
  try {
    writeAtomically(file, `${JSON.stringify({ schema: SCHEMA, ...roll })}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RunFault(`--resume ${file}: cannot write: ${why}`, { cause });
  }
}

function readRoll(file: string): Roll | undefined {
  let why: string;
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isRoll(value)) return value;
    why = `not a ${SCHEMA} file`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    why = error instanceof Error ? error.message : String(error);
  }
  throw new RunFault(`--resume ${file}: cannot read: ${why}\nRemove it to start a new roll`);
}

function isRoll(value: unknown): value is Roll {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, command, members, ids, done, underway } = value as Partial<
    Record<string, unknown>
  >;
  return (
    schema === SCHEMA &&
    typeof command === 'string' &&
    Array.isArray(members) &&
    Array.isArray(done) &&
    typeof ids === 'object' &&
    ids !== null &&
    (underway === null || typeof underway === 'string')
  );
}

const PLACEHOLDERS = ['host', 'port', 'id', 'name'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/** `${host}` is a variable of the shell. */
const PLACEHOLDER = /(?<!\$)\{([a-z]+)\}/g;
/** The end of the output is for an error message. */
const KEPT_OUTPUT = 2000;
/** systemctl ends with a hint, and has the reason before it. */
const KEPT_LINES = 3;
/** Nothing closes the pipes if the command started a server in the background. */
const LAST_WORDS_MS = 500;

/** A command for each member, from a template such as `ssh {host} systemctl restart zkserver`. */
class RollCommand {
  readonly template: string;
  readonly needsId: boolean;

  /** @throws UsageError for a template that names no member */
  constructor(template: string) {
    const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const wrong = names.find((name) => !isPlaceholder(name));
    const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
    if (wrong !== undefined) {
      throw new UsageError(`--command: unknown placeholder: {${wrong}} (expected ${known})`);
    }
    if (names.length === 0) {
      throw new UsageError(
        `--command: has no placeholder for a member: ${template} (expected at least one of ${known})\nExample: --command 'ssh {host} systemctl restart zkserver'`,
      );
    }
    this.template = template;
    this.needsId = names.includes('id');
  }

  /**
   * Quotes each value for the shell.
   * @throws UsageError for a host or id that a program would take as an option
   */
  textFor(address: MemberAddress, id: string | undefined): string {
    const values: Record<Placeholder, string> = {
      host: address.host,
      port: String(address.port),
      id: id ?? '',
      name: nameOf(address),
    };
    const option = Object.values(values).find((value) => value.startsWith('-'));
    if (option !== undefined) {
      throw new UsageError(`--command: a member begins with a dash: ${safeLine(option)}`);
    }
    return this.template.replace(PLACEHOLDER, (whole, name: string) =>
      isPlaceholder(name) ? shellWord(values[name]) : whole,
    );
  }
}

function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((known) => known === name);
}

/** Returns why it failed. A timeout or abort kills the shell, but nothing on other machines. */
function runCommand(
  command: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.any([signal, timeout]),
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-KEPT_OUTPUT);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (why: string | undefined): void => {
      // A server that the command started in the background may keep the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      const last = output
        .trimEnd()
        .split(/\s*\n\s*/)
        .slice(-KEPT_LINES)
        .join(' / ');
      resolve(why === undefined ? undefined : `${why}${last === '' ? '' : `: ${last}`}`);
    };
    child.once('error', (error) =>
      end(timeout.aborted ? `did not end in ${timeoutMs} ms` : error.message),
    );
    child.once('exit', (code, by) => {
      if (code === 0) return end(undefined);
      const why = by === null ? `exit status ${code}` : `ended by ${by}`;
      // Its last words may still be in the pipes.
      const timer = setTimeout(() => end(why), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        end(why);
      });
    });
  });
}
