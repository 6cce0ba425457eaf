import { drawForLocale } from '../commands/terminal/ascii-drawing.js';
import { canDraw } from '../commands/terminal/ops-terminal.js';
import {
  closeOutput,
  endWithTerminal,
  ignoreLostErrors,
  Output,
} from '../commands/terminal/output.js';
import { runZkserver } from '../commands/zkserver/cli.js';
import { journalPrefixOf } from '../server/node/log/journal.js';

const LOST_OUTPUT = 1;

ignoreLostErrors();
endWithTerminal();
drawForLocale(process.stderr, process.env);
const output = new Output(process.stdout);
const prefix = journalPrefixOf(process.env)('warn');
const io = {
  env: process.env,
  writeOut: (text: string) => {
    void output.write(text);
  },
  writeError: (line: string) => {
    process.stderr.write(`${prefix}${line}\n`);
  },
  ...(process.stderr.isTTY && canDraw(process.env)
    ? { openScreen: async () => (await import('../shell/ensemble/main.js')).openEnsembleScreen() }
    : {}),
};

void runZkserver(process.argv.slice(2), io)
  .then((code) => closeOutput(output, 'zkserver', code, LOST_OUTPUT))
  .then((code) => process.exit(code));
