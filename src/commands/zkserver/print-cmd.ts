import { commandOf, logPathOf } from './start.js';
import { targetOf } from './target.js';
import { Exit, type ServerVerb, TARGET_ARGS } from './verb.js';

/** Of a POSIX shell, without quotes around it. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

export const printCommand: ServerVerb = {
  name: 'print-cmd',
  summary: 'Print the command that start runs in the background',
  args: TARGET_ARGS,
  options: [],
  run: async (args, io) => {
    const words = [process.execPath, ...process.execArgv];
    words.push(...commandOf(args.operands, args.properties));
    const logFile = quoted(logPathOf(targetOf(args), io.env));
    io.writeOut(`${words.map(quoted).join(' ')} >> ${logFile} 2>&1 < /dev/null\n`);
    return Exit.OK;
  },
};

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
