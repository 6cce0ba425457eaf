#!/usr/bin/env node
import { runZkserver } from '../commands/server/cli.js';

const code = await runZkserver(process.argv.slice(2), {
  env: process.env,
  writeOut: (text) => {
    process.stdout.write(text);
  },
  writeError: (line) => {
    process.stderr.write(`${line}\n`);
  },
});
process.exit(code);
