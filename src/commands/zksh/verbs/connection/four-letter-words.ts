import { kindOfAnswer, WORDS } from '../../../../fourlw/index.js';
import { CommandError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { type Command, type CommandContext, defineCommand } from '../../engine/command.js';
import { askWordOf } from '../../session/ask-server.js';
import { FOUR_LETTER_NAMES } from './four-letter-names.js';

type Name = (typeof FOUR_LETTER_NAMES)[number];

const COMMANDS = new Map<string, Command>(FOUR_LETTER_NAMES.map((name) => [name, commandOf(name)]));

/** @param word one of FOUR_LETTER_NAMES */
export function fourLetterWord(word: string): Command {
  const command = COMMANDS.get(word);
  if (command === undefined) throw new Error(`${word} is not a four-letter word`);
  return command;
}

function commandOf(name: Name): Command {
  return defineCommand({
    name,
    group: 'session',
    summary: WORDS[name].summary,
    description: `Sends the four-letter word ${name} to the server of this session. zkops ${name} asks all servers.`,
    options: {},
    args: {},
    examples: [{ line: name, summary: 'Ask the server of this session' }],
    run: (context) => ask(context, name),
  });
}

async function ask({ client, session, signal }: CommandContext, word: Name): Promise<Result> {
  const { server } = client;
  if (server === undefined) throw new CommandError('not connected', { code: 'NOTCONNECTED' });
  const text = (await askWordOf(session, server, word, signal)).trimEnd();
  if (kindOfAnswer(word, text) === 'not-whitelisted') {
    throw new CommandError(`${server}: word ${word} is not allowed`, {
      code: 'NOTALLOWED',
      hint: `add ${word} to 4lw.commands.whitelist in the zoo.cfg of the server`,
    });
  }
  return { kind: 'message', text, fields: { server, word, text } };
}
