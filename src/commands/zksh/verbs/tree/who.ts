import { dump } from '../../../../fourlw/dump.js';
import { wchp } from '../../../../fourlw/wchp.js';
import { compareNames, isWithin } from '../../../../protocol/path.js';
import { formatSessionId } from '../../../../protocol/session-id.js';
import { usageError } from '../../../program/command-error.js';
import { namedColumns, type Result, type Row } from '../../../results/result.js';
import { isoTime } from '../../../znodes/iso-time.js';
import { isEphemeral } from '../../../znodes/stat-lines.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { ensembleServers } from '../../engine/ensemble-servers.js';
import type { Token } from '../../language/parse-line.js';
import { CommandWalk, WALK_OPTIONS, WALK_ROOT, type WalkFlags } from '../../paths/walk-command.js';
import { type Client, ServerAnswers } from './server-answers.js';

export const who = defineCommand({
  name: 'who',
  group: 'tree',
  summary: 'Show the sessions and clients that own ephemerals',
  description:
    'Prints one row for each ephemeral at or below the path: its session, client address, and server. -w lists the watchers of the path instead, and -R includes its descendants. -s lists every session with its client, its ephemerals, and its last operation. The command asks all servers of the connect string and of the configuration. They must allow the four-letter words cons, wchp (for -w), and dump (for -s). A session without a client waits for a reconnect or for its expiry. Servers that do not answer are reported, with exit status 9.',
  options: {
    watches: { letter: 'w', summary: 'list the sessions that watch the path' },
    recursive: { letter: 'R', summary: 'with -w: include descendants' },
    sessions: { letter: 's', summary: 'list all sessions of the ensemble' },
    session: { kind: 'text', valueName: 'SESSION', summary: 'list only this session: 0x1000…' },
    ...WALK_OPTIONS,
  },
  args: {
    path: WALK_ROOT,
  },
  examples: [
    { line: 'who /locks', summary: 'Find the owners of locks' },
    { line: 'who -w /app/config', summary: 'Find the watchers of a configuration' },
    { line: 'who -w -R --session 0x10000a1b2c30001 /', summary: 'List all watches of one session' },
    { line: 'who -s', summary: 'List every session with its last operation' },
  ],
  check({ options, tokens }) {
    sessionOf(options.session, tokens.session);
    if (options.recursive && !options.watches) {
      throw usageError(
        'who: -R requires -w; ephemerals always include descendants',
        tokens.recursive,
      );
    }
    if (!options.sessions) return;
    const token = tokens.path ?? tokens.watches;
    if (token !== undefined) throw usageError('who: cannot combine -s with a path or -w', token);
  },
  async run(context, { options, args }): Promise<Result> {
    return showAll(context, [args.path ?? context.session.cwd], options);
  },
  runMany: (context, { options }, paths) => showAll(context, paths, options),
});

function sessionOf(text: string | undefined, token?: Token): string | undefined {
  const id = text?.toLowerCase();
  if (id === undefined || /^0x[0-9a-f]{1,16}$/.test(id)) return id;
  throw usageError(`--session: invalid session id: "${text}" (expected 0x and hex digits)`, token);
}

interface Flags extends WalkFlags {
  readonly watches: boolean;
  readonly recursive: boolean;
  readonly sessions: boolean;
  readonly session: string | undefined;
}

/** Asks the servers once for any number of paths. */
async function showAll(
  context: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<Result> {
  const answers = new ServerAnswers(context, await ensembleServers(context));
  const clients = await answers.clients();
  const walk = new CommandWalk(context);
  const rows = flags.sessions
    ? await sessions(answers, clients)
    : flags.watches
      ? await watchers(context, paths, flags.recursive, answers, clients)
      : await owners(walk, paths, flags, clients);
  const wanted = sessionOf(flags.session);
  const columns = flags.sessions ? SESSION_COLUMNS : COLUMNS;
  const at = columns.findIndex(({ key }) => key === 'session');
  await context.emit({
    kind: 'rows',
    columns,
    rows: wanted === undefined ? rows : rows.filter((row) => row[at] === wanted),
  });
  walk.finish();
  answers.finish();
  return { kind: 'end' };
}

const COLUMNS = namedColumns('path', 'session', 'client', 'server');

function rowOf(path: string, session: string, client: Omit<Client, 'connection'> | undefined): Row {
  return [path, session, client?.address, client?.server];
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
  isRecursive: boolean,
  answers: ServerAnswers,
  clients: ReadonlyMap<string, Client>,
): Promise<readonly Row[]> {
  const exact = new Set(paths);
  const rows: Row[] = [];
  for (const { server, text } of await answers.ask('wchp')) {
    for (const [watched, holders] of wchp.parse(text).paths) {
      const path = belowChroot(watched, chroot);
      if (path === undefined) continue;
      const isAsked = isRecursive ? paths.some((root) => isWithin(path, root)) : exact.has(path);
      if (!isAsked) continue;
      for (const session of holders) {
        rows.push(rowOf(path, session, clients.get(session) ?? { address: '-', server }));
      }
    }
  }
  return rows;
}

/** Servers report paths without the chroot. */
function belowChroot(path: string, chroot: string): string | undefined {
  if (!isWithin(path, chroot === '' ? '/' : chroot)) return undefined;
  return path.slice(chroot.length) || '/';
}

const SESSION_COLUMNS = namedColumns(
  'session',
  'client',
  'server',
  'timeout',
  'ephemerals',
  'queued',
  'last',
  'since',
);

/** Sessions with a client come from their servers, all others from the leader. */
async function sessions(
  answers: ServerAnswers,
  clients: ReadonlyMap<string, Client>,
): Promise<readonly Row[]> {
  const held = new Map<string, number>();
  const ids = new Set(clients.keys());
  for (const { text } of await answers.ask('dump')) {
    const { sessions: known, ephemerals } = dump.parse(text);
    for (const id of known) ids.add(id);
    for (const [id, paths] of ephemerals) {
      ids.add(id);
      held.set(id, Math.max(held.get(id) ?? 0, paths.length));
    }
  }
  return [...ids].sort(compareNames).map((session) => {
    const client = clients.get(session);
    const { sessionTimeoutMs, queued, lastOperation, establishedMs } = client?.connection ?? {};
    return [
      session,
      client?.address,
      client?.server,
      sessionTimeoutMs,
      held.get(session) ?? 0,
      queued,
      lastOperation,
      establishedMs === undefined ? undefined : isoTime(BigInt(establishedMs)),
    ];
  });
}
