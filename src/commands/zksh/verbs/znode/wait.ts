import type { Parsed } from '../../../machine/declaration.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { ChangeFeed } from '../../watching/change-feed.js';
import { TIMEOUT_OPTION } from '../../watching/timeout-option.js';
import { type Condition, isConditionMet } from '../../watching/until.js';

const OPTIONS = {
  exists: { summary: 'wait until the znode exists (default)' },
  gone: { summary: 'wait until the znode does not exist' },
  data: { kind: 'data', valueName: 'DATA', summary: 'wait until the znode has this data' },
  timeout: TIMEOUT_OPTION,
} as const;

const ARGS = { path: { kind: 'path', summary: 'the znode' } } as const;

type WaitCall = Parsed<typeof OPTIONS, typeof ARGS>;

export const wait = defineCommand({
  name: 'wait',
  group: 'znode',
  summary: 'Wait until a znode exists, is deleted, or has given data',
  description:
    'Returns at once if the condition already holds. Otherwise it sets a watch and keeps waiting across reconnects.',
  options: OPTIONS,
  args: ARGS,
  examples: [
    { line: 'wait /app/ready --timeout 60000', summary: 'Wait up to a minute for a znode' },
    { line: 'wait /app/state --data done', summary: 'Wait until a client writes "done"' },
  ],
  check({ options: { exists, gone, data }, tokens }) {
    const given = [exists, gone, data !== undefined].filter((isGiven) => isGiven);
    if (given.length > 1) {
      throw usageError(
        'wait: expected only one of --exists, --gone, and --data',
        tokens.data ?? tokens.gone,
      );
    }
  },
  async run(context, call): Promise<Result> {
    const { timeout } = call.options;
    const condition = await conditionOf(context, call);
    const clock = new AbortController();
    const timer = timeout === undefined ? undefined : setTimeout(() => clock.abort(), timeout);
    const { path } = call.args;
    const signal = AbortSignal.any([context.signal, clock.signal]);
    const { client } = context;
    const feed = new ChangeFeed({ client, path, isRecursive: false, hasValues: false, signal });
    const late = new Promise<void>((resolve) => {
      clock.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const work = async () => {
      await feed.start();
      while (!(await isConditionMet(client, path, condition))) {
        if ((await feed.next()).kind === 'over') return;
      }
    };
    try {
      // Requests wait while disconnected, but the timeout must not.
      await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
      await feed.stop();
    }
    if (clock.signal.aborted) throw timedOut(call);
    return { kind: 'done', done: 'waited', path };
  },
});

async function conditionOf(context: CommandContext, { options }: WaitCall): Promise<Condition> {
  const { gone, data } = options;
  if (data === undefined) return { isOfData: false, isMet: (stat) => (stat === null) === gone };
  const { readValue } = await import('../../engine/read-value.js');
  const wanted = (await readValue(context, data, false)) ?? Buffer.alloc(0);
  return { isOfData: true, isMet: (_, found) => found?.equals(wanted) ?? false };
}

function timedOut({ options, args }: WaitCall): CommandError {
  const lacks = options.data === undefined ? 'does not exist' : 'does not have the expected data';
  const problem = options.gone ? 'still exists' : lacks;
  return new CommandError(`${args.path}: ${problem} after ${options.timeout} ms`, {
    code: 'TIMEOUT',
    exitCode: ExitCode.connection,
    path: args.path,
  });
}
