import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { checkAlias, HOLDS_PASSWORD } from '../../engine/aliases.js';
import { defineCommand } from '../../engine/command.js';

export const alias = defineCommand({
  name: 'alias',
  group: 'shell',
  summary: 'Define an alias for a line, or list the aliases',
  description:
    'At the start of a command, the name is replaced by the line. Further words are added to the last command of the line. "aliases" in the configuration file defines aliases for every prompt. An alias cannot have the name of a command or contain a password.',
  options: {},
  args: {
    name: { kind: 'text', isOptional: true, summary: 'the name; default: all aliases' },
    line: { kind: 'text', isOptional: true, summary: 'the quoted line' },
  },
  isLocal: true,
  examples: [
    { line: "alias ll 'ls -l'", summary: 'Shorten ls -l /app to ll /app' },
    { line: 'alias', summary: 'List the aliases' },
  ],
  async run({ session, emit, commands }, { args: { name, line }, tokens }): Promise<Result> {
    const { aliases } = session;
    if (name !== undefined && line !== undefined) {
      const why = await checkAlias(name, line, commands);
      // An error with a place would print the line, which may contain a password.
      const isSecret = why === HOLDS_PASSWORD;
      if (why !== undefined) throw usageError(why, isSecret ? undefined : tokens.name);
      aliases.set(name, line);
      return { kind: 'end' };
    }
    if (name !== undefined && !aliases.has(name)) {
      throw usageError(`unknown alias: ${name}`, tokens.name, {
        hint: 'run alias to list the aliases',
      });
    }
    for (const [known, text] of [...aliases].sort()) {
      if (name !== undefined && known !== name) continue;
      const fields = { name: known, line: text };
      await emit({ kind: 'message', text: `${known} = ${text}`, fields });
    }
    return { kind: 'end' };
  },
});
