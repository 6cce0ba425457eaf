import type { CommandContext } from '../engine/command.js';
import { allCommands, findCommand, suggestCommand } from './registry.js';
import { runExpanded, runLine, runWords } from './run-line.js';

export function createContext(
  parts: Omit<CommandContext, 'client' | 'commands' | 'runLine' | 'runStatement' | 'runWords'>,
): CommandContext {
  const context: CommandContext = {
    ...parts,
    notify: (result) => {
      if (result.kind !== 'event' || parts.session.isPrintingWatches) parts.notify(result);
    },
    // `this` may be a derived context.
    runLine(line) {
      return runLine(this, line);
    },
    runStatement(statement) {
      return runExpanded(this, statement);
    },
    runWords(words, wrap) {
      return runWords(this, words, wrap);
    },
    commands: { all: allCommands, find: findCommand, suggest: suggestCommand },
    get client() {
      return parts.session.requireClient();
    },
  };
  parts.session.reportDryRun = (result) => parts.notify(result);
  return context;
}
