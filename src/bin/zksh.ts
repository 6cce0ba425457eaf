#!/usr/bin/env node
import { runZksh } from '../commands/cli/zksh-main.js';

const code = await runZksh(process.argv.slice(2), {
  startShell: async (options) => (await import('../shell/main.js')).startShell(options),
});
// A standard input that nobody closes would keep the process.
process.exit(code);
