import { drawForLocale } from '../commands/terminal/ascii-drawing.js';
import { ignoreClosedPipe } from '../commands/terminal/closed-pipe.js';
import { canDraw } from '../commands/terminal/ops-terminal.js';
import { runZkserver } from '../commands/zkserver/cli.js';

ignoreClosedPipe(process.stdout);
drawForLocale(process.stderr, process.env);
const io = {
  env: process.env,
  writeOut: (text: string) => {
    process.stdout.write(text);
  },
  writeError: (line: string) => {
    process.stderr.write(`${line}\n`);
  },
  ...(process.stderr.isTTY && canDraw(process.env)
    ? { openScreen: async () => (await import('../shell/ensemble/main.js')).openEnsembleScreen() }
    : {}),
};

void runZkserver(process.argv.slice(2), io).then((code) => process.exit(code));
