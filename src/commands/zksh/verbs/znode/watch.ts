import type { ZooKeeperClient } from '../../../../client/base/client.js';
import type { Parsed } from '../../../machine/declaration.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { inBackground } from '../../../program/in-background.js';
import type { Change } from '../../../results/change.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { quoteWord } from '../../language/quote-word.js';
import { ChangeFeed } from '../../watching/change-feed.js';
import { TIMEOUT_OPTION } from '../../watching/timeout-option.js';
import { isConditionMet, parseUntil, UNTIL_FORMS } from '../../watching/until.js';

const OPTIONS = {
  recursive: { letter: 'R', summary: 'include all descendants' },
  data: { summary: 'report only changes of data' },
  children: { summary: 'report only created and deleted znodes' },
  'no-values': { summary: 'report events without reading values or showing differences' },
  count: {
    letter: 'c',
    kind: 'integer',
    valueName: 'N',
    min: 1,
    max: 0x7fff_ffff,
    summary: 'stop after N changes',
  },
  until: {
    letter: 'u',
    kind: 'text',
    valueName: 'CONDITION',
    summary: `stop when the condition holds, possibly at once: ${UNTIL_FORMS}`,
  },
  timeout: TIMEOUT_OPTION,
} as const;

const ARGS = {
  path: { kind: 'path', summary: 'the znode; it does not have to exist' },
  command: {
    kind: 'text',
    isOptional: true,
    isVariadic: true,
    isProgram: true,
    isAfterDashes: true,
    summary: 'a program to run for each change, with its arguments',
  },
} as const;

type WatchCall = Parsed<typeof OPTIONS, typeof ARGS>;

export const watch = defineCommand({
  name: 'watch',
  group: 'znode',
  summary: 'Watch a znode and show the difference of each change',
  description:
    'In a script, watch runs until --count, --until, or --timeout ends it, or until it is interrupted. At the prompt, without these options, changes appear in a separate pane until removewatches. After a reconnect, watch reports the changes that it missed. The command runs once per change, one at a time. Its environment has ZKSH_EVENT, ZKSH_PATH, ZKSH_ZXID, ZKSH_VERSION, ZKSH_DATA_FILE, and ZKSH_OLD_DATA_FILE. If it fails for any change, the exit status is 9.',
  options: OPTIONS,
  args: ARGS,
  surplusHint: 'put -- before a command to run',
  examples: [
    { line: 'watch -R /app', summary: 'Follow all changes at and below /app' },
    {
      line: 'watch --until exists -t 60000 /app/ready',
      summary: 'Wait up to a minute for a znode',
    },
    {
      line: 'watch /app/config -- sh -c \'cp "$ZKSH_DATA_FILE" app.conf\'',
      summary: 'Keep a local file equal to a znode',
    },
  ],
  check({ options, tokens }) {
    if (options.until !== undefined) parseUntil(options.until, tokens.until);
    if (options.data && options.children) {
      throw usageError('watch: expected only one of --data and --children', tokens.children);
    }
    if (options['no-values'] && options.until !== undefined) {
      throw usageError('watch: cannot combine --no-values with --until', tokens['no-values']);
    }
  },
  async run(context, call): Promise<Result> {
    const { count, until, timeout } = call.options;
    const isAlone = context.isInteractive && context.isPiped !== true;
    const isBackground = isAlone && (count ?? until ?? timeout) === undefined;
    return isBackground ? watchInBackground(context, call) : watchToTheEnd(context, call);
  },
});

/** By client. A duplicate would report every change twice. */
const backgroundWatches = new WeakMap<ZooKeeperClient, Set<string>>();

async function watchInBackground(context: CommandContext, call: WatchCall): Promise<Result> {
  const { client } = context;
  const { path } = call.args;
  const isRecursive = call.options.recursive;
  const active = backgroundWatches.get(client) ?? new Set();
  backgroundWatches.set(client, active);
  const key = `${isRecursive} ${path}`;
  if (active.has(key)) {
    throw new CommandError(`${path}: already watched`, {
      code: 'WATCHED',
      path,
      hint: `run removewatches ${quoteWord(path)} to stop the watch`,
    });
  }
  active.add(key);
  // Ctrl-C ends the command line, not the background watch that it started.
  const { signal } = new AbortController();
  const feed = feedOf(client, call, signal);
  const abandon = () => {
    active.delete(key);
    return feed.stop();
  };
  try {
    await feed.start();
  } catch (error) {
    await abandon();
    throw error;
  }
  if (context.signal.aborted) {
    await abandon();
    return { kind: 'end' };
  }
  // When the session has ended, a failure to remove its watch does not matter.
  inBackground(reportInBackground(feed, call, context, signal).finally(abandon), () => undefined);
  return { kind: 'watching', path, isRecursive };
}

async function reportInBackground(
  feed: ChangeFeed,
  call: WatchCall,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const show = (result: Result) => context.notify(result);
  let end = 'watch removed';
  try {
    await reportChanges(feed, call, { client: context.client, signal, hasOwnErrors: false, show });
  } catch (error) {
    end = error instanceof Error ? error.message : String(error);
  }
  show({ kind: 'watching', path: call.args.path, isRecursive: call.options.recursive, end });
}

async function watchToTheEnd(context: CommandContext, call: WatchCall): Promise<Result> {
  const { timeout } = call.options;
  const clock = new AbortController();
  const timer = timeout === undefined ? undefined : setTimeout(() => clock.abort(), timeout);
  const signal = AbortSignal.any([context.signal, clock.signal]);
  const feed = feedOf(context.client, call, signal);
  const work = async () => {
    await feed.start();
    const { client, isInteractive } = context;
    const show = (result: Result) => context.emit(result);
    await reportChanges(feed, call, { client, signal, hasOwnErrors: !isInteractive, show });
  };
  try {
    // Requests wait while disconnected, but the timeout must not.
    await Promise.race([work(), aborted(clock.signal)]);
  } finally {
    clearTimeout(timer);
    await feed.stop();
  }
  if (clock.signal.aborted) throw timedOut(call);
  return { kind: 'end' };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function feedOf(client: ZooKeeperClient, { options, args }: WatchCall, signal: AbortSignal) {
  const { recursive: isRecursive } = options;
  const hasValues = !options['no-values'];
  return new ChangeFeed({ client, path: args.path, isRecursive, hasValues, signal });
}

interface Reporting {
  readonly client: ZooKeeperClient;
  readonly signal: AbortSignal;
  readonly hasOwnErrors: boolean;
  show(result: Result): Promise<void> | void;
}

/** Shows each change and runs the command for it, until the watch or its limits end. */
async function reportChanges(
  feed: ChangeFeed,
  call: WatchCall,
  reporting: Reporting,
): Promise<void> {
  const { options, args } = call;
  const runner = args.command.length === 0 ? undefined : new ChangeRunner(args.command, reporting);
  let shown = 0;
  let isDone = await isUntilMet(call, reporting);
  while (!isDone) {
    const item = await feed.next();
    if (item.kind === 'over') break;
    if (item.kind === 'missed') {
      await reporting.show(item);
      continue;
    }
    const { change } = item;
    if (isWanted(change, call)) {
      await reporting.show({ kind: 'change', change });
      await runner?.run(change);
      shown++;
    }
    isDone = shown === options.count || (await isUntilMet(call, reporting));
  }
  runner?.finish();
}

async function isUntilMet(call: WatchCall, { client }: Reporting): Promise<boolean> {
  const { until } = call.options;
  if (until === undefined) return false;
  return isConditionMet(client, call.args.path, parseUntil(until, call.tokens.until));
}

function isWanted({ type }: Change, { options }: WatchCall): boolean {
  if (options.data) return type === 'NodeDataChanged';
  return !options.children || type !== 'NodeDataChanged';
}

class ChangeRunner {
  private readonly words: readonly string[];
  private readonly reporting: Reporting;
  private runs = 0;
  private failures = 0;

  constructor(words: readonly string[], reporting: Reporting) {
    this.words = words;
    this.reporting = reporting;
  }

  async run(change: Change): Promise<void> {
    const { runOnChange } = await import('../../watching/run-on-change.js');
    const ran = await runOnChange(change, { ...this.reporting, words: this.words });
    this.runs++;
    if (ran.exitCode !== 0) this.failures++;
    await this.reporting.show(ran);
  }

  /** @throws CommandError when a run failed; each failure was reported when it happened */
  finish(): void {
    if (this.failures === 0) return;
    throw new CommandError(
      `${this.words[0]}: failed for ${this.failures} of ${this.runs} changes`,
      { code: 'PARTIAL', exitCode: ExitCode.partial },
    );
  }
}

function timedOut({ options, args }: WatchCall): CommandError {
  const missing = options.until === undefined ? 'not enough changes' : `not yet ${options.until}`;
  return new CommandError(`${args.path}: ${missing} after ${options.timeout} ms`, {
    code: 'TIMEOUT',
    exitCode: ExitCode.connection,
    path: args.path,
  });
}
