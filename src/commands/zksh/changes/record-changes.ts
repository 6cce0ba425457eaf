import type { ZooKeeperClient } from '../../../client/client.js';
import type { Command, ParsedArguments } from '../engine/command.js';
import type { CommandChanges } from '../session/change-journal.js';
import { recordingClient } from './recording-client.js';

/**
 * What stands before the client of a command that changes something; undefined for one whose
 * changes nobody can take back.
 */
export function recorderOf(
  command: Command,
  { args }: ParsedArguments,
  changes: CommandChanges,
): ((client: ZooKeeperClient) => ZooKeeperClient) | undefined {
  if (command.group === 'recipes') {
    changes.refuse('it is between several clients');
    return undefined;
  }
  const [, ...targets] = Object.entries(command.args).filter(([, { kind }]) => kind === 'place');
  if (targets.some(([name]) => /^zks?:\/\//.test(String(args[name])))) {
    changes.refuse('it was done on another cluster');
    return undefined;
  }
  return (client) => recordingClient(client, changes);
}
