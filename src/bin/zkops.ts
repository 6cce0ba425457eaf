import { askWord } from '../client/base/four-letter.js';
import { drawForLocale } from '../commands/terminal/ascii-drawing.js';
import { ignoreClosedPipe } from '../commands/terminal/closed-pipe.js';
import { canDraw, describeTerminal } from '../commands/terminal/ops-terminal.js';
import { main } from '../commands/zkops/cli.js';
import { renderGrid } from '../commands/zkops/render/ops-grid.js';
import { renderOps } from '../commands/zkops/render/ops-render.js';

ignoreClosedPipe(process.stdout);

// Node.js exits with 1 after an uncaught exception, but 1 means a warning here.
process.on('uncaughtException', (error) => {
  process.stderr.write(`zkops: internal error: ${error.stack ?? error.message}\n`);
  process.exit(3);
});

drawForLocale(process.stdout, process.env);
const terminal = describeTerminal(process.stdout, process.env);
const world = {
  ask: askWord,
  askAdmin: async (...asked) => (await import('../commands/ensemble/admin.js')).askAdmin(...asked),
  askCertificate: async (...asked) =>
    (await import('../commands/ensemble/certificate.js')).askCertificate(...asked),
  now: () => new Date(),
  env: process.env,
  keyPassphrase: process.env['ZKOPS_KEY_PASSPHRASE'],
  writeOut: (text) => {
    if (process.stdout.write(text)) return undefined;
    return new Promise((resolve) => {
      process.stdout.once('drain', resolve);
      process.stdout.once('error', () => resolve());
    });
  },
  writeError: (text) => {
    process.stderr.write(text);
  },
  terminal: {
    ...terminal,
    isInteractive: process.stdout.isTTY && process.stdin.isTTY && canDraw(process.env),
  },
  startLive: async (session) => (await import('../shell/top/main.js')).startTop(session),
  readConfig: async (address, run) =>
    (await import('../commands/ensemble/verdict/read-config.js')).readConfig(address, run),
  renderPage: async (result) =>
    (await import('../commands/zkops/render/ops-html.js')).opsToHtml(result),
  render: (result, show) => renderOps(result, show, terminal),
  renderGrid: (grid, output) => renderGrid(grid, output, terminal),
  runJob: async (work) => (await import('../commands/zkops/run-job.js')).runJob(work),
} satisfies Parameters<typeof main>[1];

void main(process.argv.slice(2), world).then((code) => {
  // A completion does not wait for members that have not answered.
  if (process.argv[2] === '__complete') process.stdout.write('', () => process.exit(code));
  process.exitCode = code;
});
