import type { ZooKeeperClient } from '../../../client/base/client.js';
import type { ParsedArguments } from '../../machine/declaration.js';
import type { Command } from '../engine/command.js';
import type { CommandChanges } from '../session/change-journal.js';
import { recordingClient } from './recording-client.js';

/** Undefined for commands that cannot be undone. */
export function recorderOf(
  command: Command,
  { args }: ParsedArguments,
  changes: CommandChanges,
): ((client: ZooKeeperClient) => ZooKeeperClient) | undefined {
  if (command.group === 'recipes') {
    changes.refuse('recipes involve several clients');
    return undefined;
  }
  const [, ...targets] = Object.entries(command.args).filter(([, { kind }]) => kind === 'place');
  if (targets.some(([name]) => /^zks?:\/\//.test(String(args[name])))) {
    changes.refuse('the change was on another cluster');
    return undefined;
  }
  return (client) => recordingClient(client, changes);
}
