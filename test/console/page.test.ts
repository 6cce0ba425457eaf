import type { Browser } from 'puppeteer-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { startBundled, startBundledEnsemble } from '../support/bundled.js';
import { chromiumTest, openPage, startChromium, type WatchedPage } from '../support/chromium.js';
import { waitFor } from '../support/wait-for.js';
import { type RunningConsole, startConsole } from './console-world.js';

interface World {
  readonly api: RunningConsole;
  readonly client: SessionClient;
  readonly browser: Browser;
}

async function withPage(
  args: readonly string[],
  work: (world: World) => Promise<void>,
): Promise<void> {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  let [api, browser]: [RunningConsole?, Browser?] = [];
  try {
    [api, browser] = await Promise.all([startConsole(server.connectString, args), startChromium()]);
    await client.connect();
    await work({ api, client, browser });
  } finally {
    await browser?.close();
    await api?.stop();
    await client.close();
    await server.close();
  }
}

const treeUrl = (api: RunningConsole, path: string) =>
  `${api.url}#/tree/${encodeURIComponent(path)}`;

function waitForText({ text }: WatchedPage, selector: string, pattern: RegExp): Promise<string> {
  return waitFor(`${selector} to show ${pattern}`, async () => {
    const shown = await text(selector);
    return pattern.test(shown) ? shown : undefined;
  });
}

/** Typing adds to the old text if the page draws the field again meanwhile. */
async function fill({ page }: WatchedPage, selector: string, text: string): Promise<void> {
  await page.waitForSelector(selector);
  await page.evaluate(`{
    const field = document.querySelector(${JSON.stringify(selector)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
}

async function click({ page }: WatchedPage, text: string): Promise<void> {
  // At its element and not at its place: what arrives live may move it meanwhile.
  const found = await page.locator(`::-p-text(${text})`).waitHandle();
  await found.evaluate((one) => (one as unknown as { click(): void }).click());
}

chromiumTest('a fail-over is seen as it happens', async () => {
  const ensemble = await startBundledEnsemble({ size: 3 });
  let [api, browser]: [RunningConsole?, Browser?] = [];
  try {
    const args = ['--interval', '300'];
    [api, browser] = await Promise.all([
      startConsole(ensemble.connectString, args),
      startChromium(),
    ]);
    const page = await openPage(browser, api.url);
    const shown = await waitForText(page, '#summary', /leads, 3 of 3 voters in sync/);
    const leaderOf = (text: string) => /(\S+) leads/.exec(text)?.[1];
    const leader = leaderOf(shown);
    const member = ensemble.members.find(({ port }) => leader?.endsWith(`:${port}`));
    await member?.close();
    await waitForText(page, '#findings', new RegExp(`${leader}.*refused`));
    const next = await waitForText(page, '#summary', /leads, 2 of 3 voters in sync/);
    assert.is.not(leaderOf(next), leader);
    await waitForText(page, '#changes', /election.*a new epoch was elected/);
    assert.equal(page.faults, []);
  } finally {
    await browser?.close();
    await api?.stop();
    await ensemble.close();
  }
});

chromiumTest('a hundred thousand children scroll, and changes light up', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/big');
    const count = 100_000;
    const nameOf = (at: number) => `n${String(at).padStart(6, '0')}`;
    const batches = Array.from({ length: count / 1000 }, (_, batch) =>
      Array.from({ length: 1000 }, (__, at) => nameOf(batch * 1000 + at)),
    );
    await Promise.all(
      batches.map((names) =>
        client.multi(names.map((name) => ({ op: 'create', path: `/big/${name}` }))),
      ),
    );
    const page = await openPage(browser, treeUrl(api, `/big/${nameOf(50_000)}`));
    await waitForText(page, '.row.selected', /n050000/);
    await page.page.evaluate("document.querySelector('.rows').scrollTop = 1e9");
    // The system's own znodes follow the last child.
    await waitForText(page, '.rows', /n099999.*zookeeper/);
    const drawn = await page.page.evaluate("document.querySelectorAll('.row').length");
    assert.ok(Number(drawn) < 100, `${drawn} rows are drawn`);
    await client.create('/big/n099999x', 'new');
    await waitForText(page, '.row.lit', /n099999x/);
    await page.page.focus('.rows');
    await page.page.keyboard.press('Home');
    await waitForText(page, '.detail h2', /^\/$/);
    assert.equal(page.faults, []);
    assert.not.match(await page.text('main'), 'Edit');
  }),
);

chromiumTest('an edit that another client overtook shows both values', () =>
  withPage(['--allow-writes'], async ({ api, client, browser }) => {
    await client.create('/config', 'base');
    const page = await openPage(browser, treeUrl(api, '/config'));
    await waitForText(page, '#value', /base/);
    await click(page, 'Edit');
    await client.setData('/config', 'theirs');
    await fill(page, 'textarea[aria-label=data]', 'mine');
    await click(page, 'Save over version 0');
    await waitForText(page, '.conflict', /version 1; you began with 0.*base.*theirs/);
    assert.is(String((await client.getData('/config')).data), 'theirs');
    await click(page, 'Replace it with my text');
    await waitFor(
      'the change',
      async () => String((await client.getData('/config')).data) === 'mine',
    );
    await waitForText(page, '#value', /mine/);
    await waitForText(page, '#events', /changed.*\/config/);
    await client.create('/config/child');
    await click(page, 'Delete');
    await click(page, 'Count the znodes first');
    await click(page, 'Delete 2 znodes');
    await waitFor('the deletion', async () => (await client.exists('/config')) === null);
    assert.equal(page.faults, []);
  }),
);

chromiumTest('a page recovers when the server comes back', async () => {
  const server = await startBundled();
  const { connectString, port } = server;
  await server.close();
  let [api, browser]: [RunningConsole?, Browser?] = [];
  let again: Awaited<ReturnType<typeof startBundled>> | undefined;
  try {
    [api, browser] = await Promise.all([
      startConsole(connectString, ['--interval', '300']),
      startChromium(),
    ]);
    const page = await openPage(browser, treeUrl(api, '/zookeeper'));
    await waitForText(page, '.fault', /\S/);
    await waitForText(page, 'header', /critical/);
    again = await startBundled({ port });
    await waitForText(page, '.row.selected', /zookeeper/);
    await waitForText(page, 'header', /healthy/);
    await waitFor('the fault to go', async () => (await page.text('.fault')) === '');
    assert.equal(page.faults, []);
  } finally {
    await browser?.close();
    await api?.stop();
    await again?.close();
  }
});

chromiumTest('hostile names and values are text', () =>
  withPage([], async ({ api, client, browser }) => {
    const names = [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(2)<',
      'a‮gpj.exe',
      '%2F..%2F',
      "'$(id)'",
    ];
    const value = '<script>alert(3)<\u002fscript><img src=x onerror=alert(4)>';
    await client.create('/h');
    for (const name of names) await client.create(`/h/${name}`, value);
    await client.create('/h/escapes', '\x1b]0;title\x07');
    await client.create('/h/megabyte', 'x'.repeat(1_000_000));
    const page = await openPage(browser, treeUrl(api, '/h'));
    for (const name of [...names, 'escapes', 'megabyte']) {
      await page.page.goto(treeUrl(api, `/h/${name}`));
      const shown = name.replace('‮', '\\u{202e}');
      await waitFor(shown, async () => (await page.text('.detail h2')) === `/h/${shown}`);
      const wanted = name === 'escapes' ? /1b 5d 30/ : name === 'megabyte' ? /x{100}/ : /<script>/;
      await waitForText(page, '#value', wanted);
    }
    assert.equal(page.faults, []);
    assert.is(
      await page.page.evaluate("document.querySelectorAll('main img, main script').length"),
      0,
    );
  }),
);

chromiumTest('the holder of a lock, and recent changes, take a few steps to find', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/job');
    for (const name of ['b-lock-', 'a-lock-']) {
      await client.create(`/job/${name}`, name, { mode: CreateModes.EPHEMERAL_SEQUENTIAL });
    }
    const page = await openPage(browser, treeUrl(api, '/job'));
    const owner = `0x${client.sessionId.toString(16)}`;
    const holder = `first (holder): b-lock-0000000000 session ${owner} of client 127`;
    await waitFor('the holder', async () => (await page.text('#line')).startsWith(holder));

    await client.create('/config', 'x');
    await page.page.goto(`${api.url}#/search/%2F`);
    await page.page.waitForSelector('select[name=changed]');
    await page.page.select('select[name=changed]', '300');
    await page.page.locator('button[type=submit]').click();
    await waitForText(page, '#matches', /\/config.*\/job/);
    assert.match(await page.text('main [role=status]'), /4 found in \d+ znodes, done/);
    assert.equal(page.faults, []);
  }),
);

chromiumTest('no view is wider than a phone', () =>
  withPage([], async ({ api, browser }) => {
    const page = await openPage(browser, api.url);
    for (const width of [360, 2560]) {
      await page.page.setViewport({ width, height: 800 });
      for (const view of ['ensemble', 'tree/%2Fzookeeper%2Fconfig', 'search/%2F']) {
        await page.page.goto(`${api.url}#/${view}`);
        await waitForText(page, 'main', /\S/);
        const surplus = 'document.documentElement.scrollWidth - innerWidth';
        assert.is(await page.page.evaluate(surplus), 0, `${view} at ${width}`);
      }
    }
    assert.equal(page.faults, []);
  }),
);

test.run();
