import type { CommandContext } from './command.js';
import { allCommands, findCommand, suggestCommand } from './registry.js';

/** A context whose `client` is always the session's present one. */
export function createContext(parts: Omit<CommandContext, 'client' | 'commands'>): CommandContext {
  return {
    ...parts,
    commands: { all: allCommands, find: findCommand, suggest: suggestCommand },
    get client() {
      return parts.session.requireClient();
    },
  };
}
