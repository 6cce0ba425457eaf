import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { startTerminal, terminalTest } from '../support/terminal/terminal.js';
import { waitFor } from '../support/wait-for.js';

// A terminal that closes sends SIGHUP. Node.js aborts when it then restores the settings of the
// terminal.

const SIGHUP_STATUS = '129';

function commandOf(name: string): string {
  return fileURLToPath(new URL(`../../bin/${name}.cjs`, import.meta.url));
}

const PROGRAMS = [
  { words: ['zksh'], shown: /\/>/ },
  { words: ['zkops', 'top', '--servers'], shown: /MEMBER|SERVER/ },
] as const;

for (const { words, shown } of PROGRAMS) {
  terminalTest(`${words[0]} ends with its terminal`, async () => {
    const [name, ...rest] = words;
    const home = makeTempDir('hang-up');
    const server = await startBundled();
    const status = join(home.path, 'status');
    // The shell around it outlives the signal.
    const script = 'trap : HUP; file=$1; shift; "$@"; echo $? >"$file"';
    const program = [process.execPath, commandOf(name), ...rest, server.connectString];
    const terminal = await startTerminal({
      command: ['bash', '-c', script, 'bash', status, ...program],
      env: { HOME: home.path },
    });
    try {
      await terminal.waitForScreen(`${shown}`, (rows) => shown.test(rows.join('\n')));
      await terminal.close();
      const found = await waitFor('the end of the program', () =>
        existsSync(status) ? readFileSync(status, 'utf8').trim() : undefined,
      );
      assert.is(found, SIGHUP_STATUS);
    } finally {
      await terminal.close();
      await server.close();
      home.remove();
    }
  });
}

test.run();
