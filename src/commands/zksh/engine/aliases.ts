// Short names for lines. A name counts where a command begins; what it stands for is put there
// before anything runs, so that a line is refused as a whole or not at all.

import { parseLine, type Statement } from '../language/parse-line.js';
import type { CommandTable } from './command.js';
import { hasSecretWords } from './holds-secret.js';

export const HOLDS_PASSWORD = 'an alias holds no password';

export type Aliases = ReadonlyMap<string, string>;

/** Why this can be no alias; undefined when it can. */
export async function checkAlias(
  name: string,
  line: string,
  commands: CommandTable,
): Promise<string | undefined> {
  if (!/^[\w.:+-]+$/.test(name) || name.startsWith('-')) {
    return `"${name}" can be no alias: expected letters, digits and . : + - _`;
  }
  if ((await commands.find(name)) !== undefined)
    return `"${name}" can be no alias: it is a command`;
  const { statements, fault } = parseLine(line);
  if (fault !== undefined) return `what ${name} stands for cannot be read: ${fault.message}`;
  if (statements.length === 0) return `${name} has to stand for something`;
  return (await hasSecretWords(statements, commands)) ? HOLDS_PASSWORD : undefined;
}

/** The statements with what their names stand for; one that is its own alias stays. */
export function expandAliases(statements: readonly Statement[], aliases: Aliases): Statement[] {
  if (aliases.size === 0) return [...statements];
  return statements.flatMap((statement) => expand(statement, aliases, new Set()));
}

function expand(
  statement: Statement,
  aliases: Aliases,
  before: ReadonlySet<string>,
): readonly Statement[] {
  const [name, ...rest] = statement.tokens;
  if (name === undefined || name.isQuoted || before.has(name.text)) return [statement];
  const line = aliases.get(name.text);
  if (line === undefined) return [statement];
  const seen = new Set([...before, name.text]);
  // An error in it is shown at the word that was typed.
  const { start, end } = name;
  const parts = parseLine(line).statements;
  const { pipe: outer, ...bare } = statement;
  return parts.flatMap(({ tokens, pipe: inner }, at) => {
    const own = tokens.map((token) => ({ ...token, start, end }));
    const isLast = at === parts.length - 1;
    const all = isLast ? [...own, ...rest] : own;
    const pipes = [inner, isLast ? outer : undefined].filter((pipe) => pipe !== undefined);
    const one = { ...bare, tokens: all };
    if (pipes.length === 0) return expand(one, aliases, seen);
    const text = pipes.map((pipe) => pipe.text).join(' | ');
    return expand({ ...one, pipe: { text, start, end } }, aliases, seen);
  });
}
