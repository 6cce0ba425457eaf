import { formatServerAddress, type ServerAddress } from '../../client/connect-string.js';
import { askWord } from '../../client/four-letter.js';
import { cons } from '../../fourlw/cons.js';
import { kindOfAnswer } from '../../fourlw/index.js';
import { wchp } from '../../fourlw/wchp.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { type CommandContext, defineCommand } from '../command.js';
import { CommandError, ExitCode } from '../command-error.js';
import { isEphemeral } from '../long-listing.js';
import type { Result, Row } from '../result.js';
import { ensembleServers } from '../session/ensemble-servers.js';
import { partialError } from '../walk.js';
import { CommandWalk, WALK_OPTIONS, type WalkFlags } from './walk-command.js';

const ANSWER_MS = 5000;

export const who = defineCommand({
  name: 'who',
  group: 'tree',
  summary: 'show who holds the ephemerals, and from where',
  description:
    'A row for each ephemeral at or below the path: its session, the address of the client, and the server it is connected to. With -w: who watches the path itself. All servers of the ensemble are asked, those of the connect string and those of the configuration; they must allow the four-letter word cons, and for -w wchp. A session without a client is waiting for its client, or to expire. A server that does not answer is named, and makes the exit code 9.',
  options: {
    watches: { letter: 'w', summary: 'the sessions that watch the path' },
    ...WALK_OPTIONS,
  },
  args: {
    path: {
      kind: 'path',
      glob: 'serial',
      isOptional: true,
      summary: 'where, or a pattern; default: the working path',
    },
  },
  examples: [
    { line: 'who /locks', summary: 'who has the locks' },
    { line: 'who -w /app/config', summary: 'who will hear of a change' },
  ],
  async run(context, { options, args }): Promise<Result> {
    return showAll(context, [args.path ?? context.session.cwd], options);
  },
  runMany: (context, { options }, paths) => showAll(context, paths, options),
});

interface Flags extends WalkFlags {
  readonly watches: boolean;
}

/** The servers are asked once, for however many paths. */
async function showAll(
  context: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<Result> {
  const answers = new Answers(context, await ensembleServers(context));
  const clients = await answers.clients();
  const walk = new CommandWalk(context);
  const rows = flags.watches
    ? await watchers(context, paths, answers, clients)
    : await owners(walk, paths, flags, clients);
  await context.emit({ kind: 'rows', columns: COLUMNS, rows });
  walk.finish();
  answers.finish();
  return { kind: 'end' };
}

interface Client {
  readonly address: string;
  readonly server: string;
}

const COLUMNS = [{ name: 'path' }, { name: 'session' }, { name: 'client' }, { name: 'server' }];

function rowOf(path: string, session: string, client: Client | undefined): Row {
  return { path, session, client: client?.address ?? null, server: client?.server ?? null };
}

async function owners(
  walk: CommandWalk,
  roots: readonly string[],
  flags: Flags,
  clients: ReadonlyMap<string, Client>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const root of roots) {
    for await (const { path, stat } of walk.visits(root, flags)) {
      if (stat === undefined || !isEphemeral(stat)) continue;
      const session = formatSessionId(stat.ephemeralOwner);
      rows.push(rowOf(path, session, clients.get(session)));
    }
  }
  return rows;
}

async function watchers(
  { session: { chroot } }: CommandContext,
  paths: readonly string[],
  answers: Answers,
  clients: ReadonlyMap<string, Client>,
): Promise<readonly Row[]> {
  // The servers know nothing of a chroot.
  const asked = new Map(
    paths.map((path) => [path === '/' ? chroot || '/' : `${chroot}${path}`, path]),
  );
  const rows: Row[] = [];
  for (const { server, text } of await answers.ask('wchp')) {
    for (const [watched, sessions] of wchp.parse(text).paths) {
      const path = asked.get(watched);
      if (path === undefined) continue;
      for (const session of sessions) {
        rows.push(rowOf(path, session, clients.get(session) ?? { address: '-', server }));
      }
    }
  }
  return rows;
}

/** The words of all servers, and which of them gave none. */
class Answers {
  readonly #context: CommandContext;
  readonly #servers: readonly ServerAddress[];
  readonly #failures = new Map<string, unknown>();

  constructor(context: CommandContext, servers: readonly ServerAddress[]) {
    this.#context = context;
    this.#servers = servers;
  }

  async clients(): Promise<ReadonlyMap<string, Client>> {
    const clients = new Map<string, Client>();
    for (const { server, text } of await this.ask('cons')) {
      for (const { sessionId, remote } of cons.parse(text).connections) {
        if (sessionId !== undefined) clients.set(sessionId, { address: remote, server });
      }
    }
    return clients;
  }

  async ask(word: string): Promise<{ readonly server: string; readonly text: string }[]> {
    const { tls } = this.#context.session;
    const { signal } = this.#context;
    const asked = this.#servers.map(async (address) => {
      const server = formatServerAddress(address);
      try {
        const how = { timeoutMs: ANSWER_MS, signal, ...(tls === undefined ? {} : { tls }) };
        const text = (await askWord(address, word, how)).toString();
        if (kindOfAnswer(word, text) === 'answer') return { server, text };
        throw new Error(`does not allow ${word}: add it to 4lw.commands.whitelist there`);
      } catch (error) {
        this.#failures.set(server, error);
        return undefined;
      }
    });
    return (await Promise.all(asked)).filter((answer) => answer !== undefined);
  }

  /** @throws CommandError PARTIAL when a server gave no answer */
  finish(): void {
    const failures = [...this.#failures].map(([path, error]) => ({ path, error }));
    if (failures.length === 0) return;
    const [only] = failures;
    if (this.#servers.length === 1 && only?.error instanceof Error) {
      throw new CommandError(`clients are not known: ${only.path} ${only.error.message}`, {
        code: 'PARTIAL',
        exitCode: ExitCode.partial,
      });
    }
    throw partialError('clients of some servers are not known', failures);
  }
}
