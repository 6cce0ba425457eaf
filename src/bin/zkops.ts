import { askWord } from '../client/base/four-letter.js';
import { renderMembers } from '../commands/results/members.js';
import { drawForLocale } from '../commands/terminal/ascii-drawing.js';
import { canDraw, describeTerminal } from '../commands/terminal/ops-terminal.js';
import {
  closeOutput,
  endWithTerminal,
  ignoreLostErrors,
  Output,
} from '../commands/terminal/output.js';
import { main } from '../commands/zkops/cli.js';
import { journalPrefixOf } from '../server/node/log/journal.js';

const LOST_OUTPUT = 3;

ignoreLostErrors();
endWithTerminal();

// Node.js exits with 1 after an uncaught exception, but 1 means a warning here.
process.on('uncaughtException', (error) => {
  process.stderr.write(`zkops: internal error: ${error.stack ?? error.message}\n`);
  process.exit(3);
});

drawForLocale(process.stdout, process.env);
const output = new Output(process.stdout);
const prefix = journalPrefixOf(process.env)('warn');
const terminal = describeTerminal(process.stdout, process.env);
const world = {
  ask: askWord,
  askAdmin: async (...asked) => (await import('../commands/ensemble/admin.js')).askAdmin(...asked),
  askCertificate: async (...asked) =>
    (await import('../commands/ensemble/certificate.js')).askCertificate(...asked),
  now: () => new Date(),
  env: process.env,
  keyPassphrase: process.env['ZKOPS_KEY_PASSPHRASE'],
  writeOut: (text) => output.write(text),
  outputEnded: output.ended,
  writeError: (text) => {
    process.stderr.write(`${prefix}${text}`);
  },
  terminal: {
    ...terminal,
    isInteractive: process.stdout.isTTY && process.stdin.isTTY && canDraw(process.env),
  },
  startLive: async (session) => (await import('../shell/top/main.js')).startTop(session),
  readConfig: async (address, run) =>
    (await import('../commands/ensemble/verdict/read-config.js')).readConfig(address, run),
  render: (result, show) => renderMembers(result, show, terminal),
  runJob: async (work) => (await import('../commands/zkops/run-job.js')).runJob(work, output.ended),
} satisfies Parameters<typeof main>[1];

void main(process.argv.slice(2), world)
  .then((code) => closeOutput(output, 'zkops', code, LOST_OUTPUT))
  .then((code) => {
    // A completion does not wait for members that have not answered.
    if (process.argv[2] === '__complete') process.exit(code);
    process.exitCode = code;
  });
