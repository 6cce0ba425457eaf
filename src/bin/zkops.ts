import { askWord } from '../client/four-letter.js';
import { main } from '../commands/ops/cli.js';
import { renderOps } from '../commands/render/ops-render.js';
import { describeTerminal } from '../commands/render/ops-terminal.js';

// A reader that has seen enough (head, less) is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Node ends with 1 after an error nobody caught, and 1 is a warning here: a check that broke has
// judged nothing.
process.on('uncaughtException', (error) => {
  process.stderr.write(`zkops: a fault of zkops itself: ${error.stack ?? error.message}\n`);
  process.exit(3);
});

const terminal = describeTerminal(process.stdout, process.env);
const world = {
  ask: askWord,
  now: () => new Date(),
  keyPassphrase: process.env['ZKOPS_KEY_PASSPHRASE'],
  writeOut: (text) => {
    process.stdout.write(text);
  },
  writeError: (text) => {
    process.stderr.write(text);
  },
  render: (result, show) => renderOps(result, show, terminal),
} satisfies Parameters<typeof main>[1];

void main(process.argv.slice(2), world).then((code) => {
  process.exitCode = code;
});
