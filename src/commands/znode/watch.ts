import type { ClientState, WatchEvent } from '../../client/client.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { type CommandContext, defineCommand } from '../command.js';
import { CommandError, ExitCode } from '../command-error.js';
import type { Result } from '../result.js';

export const watch = defineCommand({
  name: 'watch',
  group: 'znode',
  summary: 'show what happens to a znode',
  description:
    'In a script it goes on until --count events came, or until it is interrupted. At the prompt, without --count, it goes on beside what is typed, until removewatches. The watch is armed again after a reconnect; what happened in between is not told.',
  options: {
    recursive: { letter: 'R', summary: 'everything below, too' },
    count: {
      letter: 'c',
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'end after so many events',
    },
  },
  args: { path: { kind: 'path', summary: 'the znode, which need not exist' } },
  examples: [
    { line: 'watch -R /app', summary: 'every change at and below /app' },
    { line: 'watch -c 1 /app/ready', summary: 'wait for one event' },
  ],
  async run(context, { options, args: { path } }): Promise<Result> {
    const mode = options.recursive ? AddWatchMode.PERSISTENT_RECURSIVE : AddWatchMode.PERSISTENT;
    if (context.isInteractive && options.count === undefined) {
      await context.client.addWatch(path, mode, (event) =>
        context.notify({ kind: 'event', event }),
      );
      return {
        kind: 'message',
        text: `Watching ${path}; removewatches ${path} ends it`,
        fields: { watching: path, isRecursive: options.recursive },
      };
    }
    await showEvents(context, path, mode, options.count ?? Number.POSITIVE_INFINITY);
    return { kind: 'end' };
  },
});

const ENDED: ReadonlySet<ClientState> = new Set(['expired', 'closed', 'auth-failed']);

/** Emits events until there were `count`, the session ends, or the command is interrupted. */
async function showEvents(
  context: CommandContext,
  path: string,
  mode: AddWatchMode,
  count: number,
): Promise<void> {
  const { client, signal } = context;
  const events: WatchEvent[] = [];
  let wake = () => {};
  const onEvent = (event: WatchEvent) => {
    events.push(event);
    wake();
  };
  const onState = () => wake();
  client.on('state', onState);
  signal.addEventListener('abort', onState);
  try {
    await client.addWatch(path, mode, onEvent);
    let shown = 0;
    while (shown < count && !signal.aborted) {
      const event = events.shift();
      if (event !== undefined) {
        await context.emit({ kind: 'event', event });
        shown++;
      } else if (ENDED.has(client.state)) {
        throw sessionEnded(client.state);
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    client.off('state', onState);
    signal.removeEventListener('abort', onState);
  }
  if (!ENDED.has(client.state)) await client.removeWatches(path, WatcherType.Any);
}

function sessionEnded(state: ClientState): CommandError {
  return new CommandError(`the session is ${state}, and its watches with it`, {
    code: state === 'expired' ? 'SESSIONEXPIRED' : 'NOTCONNECTED',
    exitCode: ExitCode.connection,
  });
}
