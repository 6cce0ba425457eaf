import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { finishedReport, namedColumns, type Report, type Row } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { timeoutOf } from './ask-members.js';
import { seenWithin } from './seen.js';
import {
  closeSession,
  describeError,
  type MemberSession,
  openSession,
  privatePath,
  SESSION_OPTIONS,
} from './sessions.js';
import { SMOKE_STEPS, type SmokeStep, type SmokeWorld } from './smoke-steps.js';

interface StepResult {
  readonly step: string;
  readonly server: string;
  readonly tookMs: number;
  readonly failure: string | undefined;
}

async function timed(step: string, server: string, run: () => Promise<void>): Promise<StepResult> {
  const startedAt = performance.now();
  let failure: string | undefined;
  try {
    await run();
  } catch (error) {
    failure = describeError(error);
  }
  return { step, server, tookMs: performance.now() - startedAt, failure };
}

/** After a failed write, there is nothing to check. */
async function takeStep(
  step: SmokeStep,
  world: SmokeWorld,
  sessions: readonly MemberSession[],
): Promise<StepResult[]> {
  const { writer } = world;
  const late = new Map<MemberSession, () => Promise<void>>();
  const failed: StepResult[] = [];
  if (step.prepare !== undefined) {
    const { prepare } = step;
    for (const member of sessions) {
      const result = await timed(step.name, member.server, async () => {
        late.set(member, await prepare(member, world));
      });
      if (result.failure !== undefined) failed.push(result);
    }
  }
  if (failed.length > 0) return failed;
  const written = await timed(step.name, writer.server, async () => step.write?.(world));
  if (written.failure !== undefined) return [written];
  return Promise.all(
    sessions.map((member) =>
      timed(step.name, member.server, async () => {
        await late.get(member)?.();
        await seenWithin(world.timeoutMs, async () => step.check?.(member, world));
      }),
    ),
  );
}

interface Opened {
  readonly sessions: readonly MemberSession[];
  readonly results: readonly StepResult[];
}

async function openAll(call: TaskCall, members: readonly MemberAddress[]): Promise<Opened> {
  const sessions: MemberSession[] = [];
  const results = await Promise.all(
    members.map((address) =>
      timed('a session opens', nameOf(address), async () => {
        sessions.push(await openSession(call, address));
      }),
    ),
  );
  // In the order of the list, not of completion.
  const order = members.map(nameOf);
  sessions.sort((a, b) => order.indexOf(a.server) - order.indexOf(b.server));
  return { sessions, results };
}

async function smoke(call: TaskCall): Promise<Report> {
  const timeoutMs = timeoutOf(call);
  const { sessions, results: opened } = await openAll(call, call.members);
  const results = [...opened];
  try {
    const [writer] = sessions;
    if (writer !== undefined) {
      const world: SmokeWorld = {
        path: privatePath(call, 'smoke'),
        writer,
        timeoutMs,
        openOther: async () => {
          const other = await openSession(call, writer.address);
          return { client: other.client, close: () => closeSession(other, timeoutMs) };
        },
      };
      for (const [done, step] of SMOKE_STEPS.entries()) {
        if (call.signal.aborted) break;
        call.progress('smoke', done, SMOKE_STEPS.length);
        const taken = await takeStep(step, world, sessions);
        results.push(...taken);
        // The next steps depend on this one.
        if (taken.some(({ failure }) => failure !== undefined)) break;
      }
    }
  } finally {
    await Promise.all(sessions.map((session) => closeSession(session, timeoutMs)));
  }
  call.signal.throwIfAborted();
  return reportOf(call, sessions, results);
}

function reportOf(
  call: TaskCall,
  sessions: readonly MemberSession[],
  results: readonly StepResult[],
): Report {
  const problems = results.flatMap(({ step, server, failure }): Problem[] => {
    if (failure === undefined) return [];
    const isSession = step === 'a session opens';
    const level = isSession && sessions.length > 0 ? 'warning' : 'critical';
    const code = isSession ? 'no-session' : 'smoke';
    return [{ level, code, server, text: `${step}: ${failure}` }];
  });
  const rows = results.map(({ step, server, tookMs, failure }): Row => {
    const took = Number(tookMs.toFixed(1));
    return [step, server, took, failure === undefined ? 'ok' : 'failed'];
  });
  const steps = new Set(results.filter(({ failure }) => failure === undefined).map((r) => r.step));
  const all = SMOKE_STEPS.length + 1;
  const summary =
    sessions.length === 0
      ? 'no member accepts a session'
      : `${steps.size} of ${all} steps hold on ${sessions.length} of ${call.members.length} members`;
  const verdict = concludeFrom(problems, summary);
  const levelOf = ([step, server]: Row) =>
    problems.find((problem) => problem.server === server && problem.text.startsWith(`${step}: `))
      ?.level;
  return finishedReport(COLUMNS, rows, { verdict }, levelOf);
}

const COLUMNS = [
  { key: 'step' },
  { title: 'MEMBER', key: 'server' },
  ...namedColumns('took_ms', 'result'),
];

export const smokeTask: Task = {
  name: 'smoke',
  options: { ...SESSION_OPTIONS, ...TIME_OPTIONS },
  hasMembers: true,
  changesEnsemble: true,
  run: smoke,
};
