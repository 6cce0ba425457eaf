import { drawForLocale } from '../commands/terminal/ascii-drawing.js';
import { endWithTerminal, ignoreLostErrors } from '../commands/terminal/output.js';
import { runZksh } from '../commands/zksh/zksh-main.js';

ignoreLostErrors();
endWithTerminal();
drawForLocale(process.stdout, process.env);
const parts = {
  startShell: async (options) => (await import('../shell/main.js')).startShell(options),
} satisfies Parameters<typeof runZksh>[1];

// An open standard input would keep the process alive.
void runZksh(process.argv.slice(2), parts).then((code) => process.exit(code));
