import { shellWord } from '../program/shell-word.js';
import { ignoredSettings } from './script-environment.js';
import { commandOf, logPathOf } from './start.js';
import { targetOf } from './target.js';
import { type ServerVerb, said, TARGET_ARGS } from './verb.js';

export const printCommand: ServerVerb = {
  name: 'print-cmd',
  summary: 'Print the command that start runs in the background',
  args: TARGET_ARGS,
  options: {},
  run: async (args, io) => {
    const words = [process.execPath, ...process.execArgv];
    words.push(...commandOf(args.operands, args.properties));
    const target = targetOf(args);
    const ignored = ignoredSettings(args, io.env);
    for (const warning of [...ignored, ...target.warnings]) io.writeError(warning);
    const logFile = shellWord(logPathOf(target, io.env));
    return said(`${words.map(shellWord).join(' ')} >> ${logFile} 2>&1 < /dev/null`);
  },
};
