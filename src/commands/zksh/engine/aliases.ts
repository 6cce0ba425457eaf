// Aliases are expanded before anything runs, so a line with an error fails as a whole.

import { parseLine, type Statement } from '../language/parse-line.js';
import type { CommandTable } from './command.js';
import { hasSecretWords } from './holds-secret.js';

export const HOLDS_PASSWORD = 'alias: line contains a password';

export type Aliases = ReadonlyMap<string, string>;

/** Undefined for a valid alias. */
export async function checkAlias(
  name: string,
  line: string,
  commands: CommandTable,
): Promise<string | undefined> {
  if (!/^[\w.:+-]+$/.test(name) || name.startsWith('-')) {
    return `alias: invalid name: "${name}" (expected letters, digits, and . : + - _)`;
  }
  if ((await commands.find(name)) !== undefined) return `alias: name of a command: "${name}"`;
  const { statements, fault } = parseLine(line);
  if (fault !== undefined) return `alias ${name}: invalid line: ${fault.message}`;
  if (statements.length === 0) return `alias ${name}: line is empty`;
  return (await hasSecretWords(statements, commands)) ? HOLDS_PASSWORD : undefined;
}

/** A recursive use of an alias stays unchanged. */
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
  // An error in the alias points at the typed word.
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
