import type { CommandDeclaration } from '../../machine/declaration.js';
import { parseLine, type Statement } from '../language/parse-line.js';
import type { CommandTable } from './command.js';
import { innerWords } from './inner-words.js';

/** Whether these words may contain a secret. Also true for misspelled names of such commands. */
export async function holdsSecret(
  statements: readonly Statement[],
  commands: CommandTable,
): Promise<boolean> {
  for (const statement of statements) {
    const { tokens } = statement;
    const [word, ...rest] = tokens;
    const name = word?.text ?? '';
    const command =
      (await commands.find(name)) ?? (await commands.find(commands.suggest(name) ?? ''));
    if (hasSecret(command)) return true;
    const inner = command === undefined ? [] : innerWords(command, rest);
    if (inner.length > 0 && (await holdsSecret([{ ...statement, tokens: inner }], commands))) {
      return true;
    }
    if (command?.name !== 'alias') continue;
    for (const { text } of rest) {
      if (await hasSecretWords(parseLine(text).statements, commands)) return true;
    }
  }
  return false;
}

/** Whether the statements contain a password, not only a command that accepts one. */
export function hasSecretWords(
  statements: readonly Statement[],
  commands: CommandTable,
): Promise<boolean> {
  const suspects = statements.filter(({ tokens }) => tokens.some(({ text }) => /:./.test(text)));
  return holdsSecret(suspects, commands);
}

export function hasSecret(command: CommandDeclaration | undefined): boolean {
  const specs = [...Object.values(command?.args ?? {}), ...Object.values(command?.options ?? {})];
  return (
    specs.some(({ kind }) => kind === 'secret') || command?.subcommands?.some(hasSecret) === true
  );
}
