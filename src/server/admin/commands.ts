import type { AdminView } from './admin-view.js';
import { type AdminCommand, type AdminRequest, type AdminResult, failure } from './command.js';
import { CONNECTION_COMMANDS } from './connection-commands.js';
import { jsonPieces } from './json.js';
import { LIST_COMMANDS } from './list-commands.js';
import { STATE_COMMANDS } from './state-commands.js';

/** The body is the snapshot itself. */
const snapshot: AdminCommand = {
  name: 'snapshot',
  aliases: ['snap'],
  method: 'GET',
  isGuarded: true,
  isChange: true,
};

const restore: AdminCommand = {
  name: 'restore',
  aliases: ['rest'],
  method: 'POST',
  isGuarded: true,
  isChange: true,
};

export const ADMIN_COMMANDS: readonly AdminCommand[] = [
  ...CONNECTION_COMMANDS,
  ...STATE_COMMANDS,
  ...LIST_COMMANDS,
  snapshot,
  restore,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const BY_NAME = new Map<string, AdminCommand>(
  ADMIN_COMMANDS.flatMap((command) =>
    [command.name, ...command.aliases].map((name) => [name, command] as const),
  ),
);

export function findCommand(name: string): AdminCommand | undefined {
  return BY_NAME.get(name);
}

const NOT_SERVING = 'This ZooKeeper instance is not currently serving requests';
const UNAVAILABLE = 503;

export interface AdminAnswer {
  readonly status: number;
  readonly pieces: Iterable<string>;
}

/** Why `command` cannot run now, or undefined. With `?strict=1` the HTTP status shows it. */
export function obstacle(
  admin: AdminView,
  command: AdminCommand,
  { query }: AdminRequest,
): AdminResult | undefined {
  if (command.isAlwaysAnswered === true || admin.server.isServing) return undefined;
  return failure(NOT_SERVING, query.get('strict') === '1' ? UNAVAILABLE : undefined);
}

/** @param name as requested */
export function answerCommand(admin: AdminView, name: string, request: AdminRequest): AdminAnswer {
  const command = findCommand(name);
  if (command?.run === undefined) return answerOf(name, failure(`Unknown command: ${name}`));
  const refusal = obstacle(admin, command, request);
  // In a refusal, Apache's server uses the requested name, in an answer the primary one.
  if (refusal !== undefined) return answerOf(name, refusal);
  return answerOf(command.name, command.run(admin, request));
}

export function answerOf(name: string, result: AdminResult): AdminAnswer {
  const last = [['command', name] as const, ['error', result.error ?? null] as const];
  return { status: result.status ?? 200, pieces: jsonPieces(result.fields, last) };
}

/** @param root `/commands` */
export function commandPage(root: string): string {
  return ADMIN_COMMANDS.map(({ name }) => `<a href="${root}/${name}">${name}</a>\n<br/>\n`).join(
    '',
  );
}
