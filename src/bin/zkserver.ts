import { runZkserver } from '../commands/zkserver/cli.js';

const io = {
  env: process.env,
  writeOut: (text: string) => {
    process.stdout.write(text);
  },
  writeError: (line: string) => {
    process.stderr.write(`${line}\n`);
  },
  ...(process.stderr.isTTY
    ? {
        terminal: (text: string) => {
          process.stderr.write(text);
        },
      }
    : {}),
};

void runZkserver(process.argv.slice(2), io).then((code) => process.exit(code));
