// Each command that the page shows runs as it is copied.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumTest, openPage, type WatchedPage } from '../support/machine/chromium.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';
import { withPage } from './page-world.js';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));
/** Opens all folded parts, so that their commands are shown, too. */
const OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })";
const COMMANDS = "[...document.querySelectorAll('.command code')].map((one) => one.textContent)";
/** The tabs of the four-letter words. */
const WORDS = "[...document.querySelectorAll('.tabs button[aria-pressed]')]";
const MEMBER = 'member/first';
/** The views, each with the least number of its commands. */
const VIEWS: readonly (readonly [view: string, least: number])[] = [
  ['ensemble/', 1],
  [`tree/${encodeURIComponent('/app')}`, 7],
  [`tree/${encodeURIComponent("/app/it's")}`, 7],
  ['search/%2Fapp', 1],
  ['changes/', 1],
  [MEMBER, 2],
];

async function collectCommands({ page }: WatchedPage, url: string): Promise<Set<string>> {
  const lines = new Set<string>();
  const take = async (): Promise<number> => {
    await page.evaluate(OPEN_ALL);
    const shown = (await page.evaluate(COMMANDS)) as string[];
    for (const line of shown) lines.add(line);
    return shown.length;
  };
  for (const [view, least] of VIEWS) {
    await page.goto(`${url}#/${view}`);
    await page.reload();
    await waitFor(`${least} commands of ${view}`, async () => (await take()) >= least);
  }
  const count = Number(await page.evaluate(`${WORDS}.length`));
  assert.ok(count > 5, `${count} words of a member`);
  for (let at = 0; at < count; at++) {
    await page.evaluate(`${WORDS}[${at}].click()`);
    await take();
  }
  return lines;
}

/** Runs a line in a shell that finds the two programs. */
function runnerIn(folder: string) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['zksh', 'zkops']) symlinkSync(join(BIN, `${name}.cjs`), join(bin, name));
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, HOME: folder };
  return async (line: string) => {
    const running = watchProcess(spawn('sh', ['-c', line], { cwd: folder, env }));
    const status = await running.ended;
    return { status, text: `${status}: ${line}: ${running.output()}` };
  };
}

/** Imports follow dumps. Deletes come last, of children before their parent. */
function order(line: string): number {
  if (line.includes('deleteall')) return 3 - line.length / 1000;
  return line.includes('restore') ? 1 : 0;
}

chromiumTest('each command on the page runs', async () => {
  const folder = makeTempDir('console');
  const [port, admin] = [await freePort(), await freePort()];
  const config = {
    'admin.enableServer': 'true',
    'admin.serverPort': String(admin),
    'admin.serverAddress': '127.0.0.1',
    'admin.anyoneMayTransfer': 'true',
    '4lw.commands.whitelist': '*',
  };
  const hosts = join(folder.path, 'hosts.txt');
  writeFileSync(hosts, `127.0.0.1:${port} admin=${admin} name=first\n`);
  const run = runnerIn(folder.path);
  const args = ['--ensemble', hosts, '--allow-writes', '--allow-snapshots'];
  try {
    await withPage(
      args,
      async ({ api, client, browser }) => {
        await client.create('/app', 'value');
        await client.create("/app/it's", 'x');
        const page = await openPage(browser, api.url);
        const lines = [...(await collectCommands(page, api.url))];
        assert.ok(lines.length > 20, lines.join('\n'));
        for (const line of lines.sort((a, b) => order(a) - order(b))) {
          // Without the name of a new child, the line would create its parent again.
          if (/-c 'create /.test(line)) continue;
          // A dump replaces no file, and two views show one.
          if (line.includes('dump --to')) rmSync(join(folder.path, 'znodes.dump'), { force: true });
          const { status, text } = await run(line);
          const isKept = line.includes('restore') && status === 5;
          // Writes on a slow machine give health a warning to report.
          const isJudged = line.includes('health') && [1, 2].includes(status ?? -1);
          assert.ok(status === 0 || isKept || isJudged, text);
        }
        assert.is(await client.exists('/app'), null, 'the delete ran, too');
        assert.equal(page.faults, []);
      },
      { port, dataDir: join(folder.path, 'data'), config },
    );
  } finally {
    folder.remove();
  }
});

test.run();
