// What a terminal may do to a program that draws: stop and continue it, report no size, be narrow,
// or know no escape sequences.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { startServer } from '../../src/server/main.js';
import { startTerminal, type Terminal, terminalTest } from '../support/terminal/terminal.js';
import { waitFor } from '../support/wait-for.js';

const bin = (name: string) => fileURLToPath(new URL(`../../bin/${name}.cjs`, import.meta.url));
const ZKSH = `${process.execPath} ${bin('zksh')}`;
const TOP = `${process.execPath} ${bin('zkops')} top --interval 200 --servers`;
const CONFIG = { config: { '4lw.commands.whitelist': '*' } };

/** A shell with job control, or the given command, on a terminal. */
async function onTerminal(
  use: (terminal: Terminal, server: string) => Promise<void>,
  options: { readonly line?: string; readonly columns?: number; readonly rows?: number } = {},
): Promise<void> {
  const server = await startServer(CONFIG);
  const { line, ...size } = options;
  const command =
    line === undefined
      ? ['bash', '--norc', '-i']
      : ['sh', '-c', `${line.replace('SERVER', server.connectString)}; sleep 60`];
  const terminal = await startTerminal({ command, env: { PS1: '$ ' }, ...size });
  try {
    await use(terminal, server.connectString);
  } finally {
    await terminal.close();
    await server.close();
  }
}

/** The process of a program of this build that uses the server. */
function processOf(program: string, server: string): Promise<number> {
  return waitFor(`a process of ${program}`, () => {
    const found = readdirSync('/proc').find((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      const words = wordsOf(pid);
      return words.includes(bin(program)) && words.includes(server);
    });
    return found === undefined ? undefined : Number(found);
  });
}

function wordsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

async function run(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press('Enter');
}

terminalTest('Ctrl-Z suspends the prompt and browse, and fg gives keys and screen back', () =>
  onTerminal(async (terminal, server) => {
    await run(terminal, `${ZKSH} ${server}`);
    await terminal.waitForRow(/standalone.*> *$/);
    await terminal.press('C-z');
    await terminal.waitForRow(/^\[1\]\+ +Stopped/);
    // The outer shell echoes, so the terminal is as it expects.
    await run(terminal, 'echo in-$((1+1))');
    await terminal.waitForRow(/^in-2$/);
    await run(terminal, 'fg');
    await terminal.waitForRow(/standalone.*> *$/);
    await run(terminal, 'ls /');
    await terminal.waitForRow(/^\[zookeeper\]$/);
    await run(terminal, 'browse /');
    await terminal.waitForRow(/zookeeper/);
    await terminal.press('C-z');
    await terminal.waitForRow(/^\[1\]\+ +Stopped/);
    await run(terminal, 'fg');
    await terminal.waitForScreen('browse', (rows) => !rows.some((row) => row.includes('Stopped')));
    await terminal.press('q');
    await terminal.waitForRow(/standalone.*> *$/);
  }),
);

terminalTest('Ctrl-Z suspends top', () =>
  onTerminal(async (terminal, server) => {
    await run(terminal, `${TOP} ${server}`);
    await terminal.waitForRow(/^requests\/s /);
    await terminal.press('C-z');
    await terminal.waitForRow(/^\[1\]\+ +Stopped/);
    await run(terminal, 'fg');
    await terminal.waitForRow(/^zkops top .* every 0\.2 s/);
    await terminal.press('p');
    await terminal.waitForRow(/^zkops top .* paused/);
    await terminal.press('q');
    await terminal.waitForRow(/^\$/);
  }),
);

for (const signal of ['SIGTSTP', 'SIGSTOP'] as const) {
  terminalTest(`after ${signal} from elsewhere and fg, keys work`, () =>
    onTerminal(async (terminal, server) => {
      await run(terminal, `${ZKSH} ${server}`);
      await terminal.waitForRow(/standalone.*> *$/);
      await terminal.mark();
      process.kill(await processOf('zksh', server), signal);
      await terminal.waitForRow(/^\[1\]\+ +Stopped/);
      await run(terminal, 'fg');
      await terminal.waitForRow(/standalone.*> *$/);
      await run(terminal, 'ls /');
      await terminal.waitForRow(/^\[zookeeper\]$/);
    }),
  );
}

terminalTest('top and browse draw on a terminal that reports no size', async () => {
  const unknown = 'stty rows 0 cols 0;';
  await onTerminal((terminal) => terminal.waitForRow(/^MEMBER /).then(() => undefined), {
    line: `${unknown} ${TOP} SERVER`,
  });
  await onTerminal(
    async (terminal) => {
      await terminal.waitForRow(/standalone.*> *$/);
      await run(terminal, 'browse /');
      await terminal.waitForRow(/q quits|zookeeper/);
    },
    { line: `${unknown} ${ZKSH} SERVER` },
  );
});

terminalTest('the first prompt leaves nothing behind on a narrow terminal', () =>
  onTerminal(
    async (terminal) => {
      await terminal.waitForScreen('the role and no trace of the first prompt', (rows) => {
        const text = rows.join('');
        return text.includes('standal') && !text.includes('connecting');
      });
    },
    { line: `${ZKSH} SERVER`, columns: 20, rows: 8 },
  ),
);

for (const term of ['dumb', 'unknown']) {
  terminalTest(`TERM=${term} gets lines without escape sequences`, () =>
    onTerminal(
      async (terminal) => {
        await terminal.waitForRow(/^zksh: TERM=\w+ draws no prompt/);
        await run(terminal, 'nosuch');
        await terminal.waitForRow(/unknown command: "nosuch"/);
        await run(terminal, 'ls /');
        await terminal.waitForRow(/^\[zookeeper\]$/);
      },
      { line: `TERM=${term} ${ZKSH} SERVER` },
    ),
  );
}

test.run();
