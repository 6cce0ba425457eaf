import { usageError } from '../../../program/command-error.js';
import { checkAlias, HOLDS_PASSWORD } from '../../engine/aliases.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const alias = defineCommand({
  name: 'alias',
  group: 'shell',
  summary: 'give a line a short name, or list those that have one',
  description:
    'The name stands for the line where a command begins; the words behind it are added to its last command. "aliases" in the configuration file has those that are there at every prompt. No alias has the name of a command, or holds a password.',
  options: {},
  args: {
    name: { kind: 'text', isOptional: true, summary: 'a name; default: all' },
    line: { kind: 'text', isOptional: true, summary: 'what it stands for, in quotes' },
  },
  isLocal: true,
  examples: [
    { line: "alias ll 'ls -l'", summary: 'then ll /app is ls -l /app' },
    { line: 'alias', summary: 'what there is' },
  ],
  async run({ session, emit, commands }, { args: { name, line }, tokens }): Promise<Result> {
    const { aliases } = session;
    if (name !== undefined && line !== undefined) {
      const why = await checkAlias(name, line, commands);
      // Without a place nobody repeats the line, in which a password may stand.
      const isSecret = why === HOLDS_PASSWORD;
      if (why !== undefined) throw usageError(why, isSecret ? undefined : tokens.name);
      aliases.set(name, line);
      return { kind: 'end' };
    }
    if (name !== undefined && !aliases.has(name)) {
      throw usageError(`there is no alias ${name}`, tokens.name, 'alias lists them');
    }
    for (const [known, text] of [...aliases].sort()) {
      if (name !== undefined && known !== name) continue;
      const fields = { name: known, line: text };
      await emit({ kind: 'message', text: `${known} = ${text}`, fields });
    }
    return { kind: 'end' };
  },
});
