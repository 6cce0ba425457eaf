import { writeFileSync } from 'node:fs';
import type { Browser } from 'puppeteer-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { AddWatchMode } from '../../src/protocol/watch-event.js';
import { startBundled, startBundledEnsemble } from '../support/bundled.js';
import { chromiumTest, openPage, startChromium } from '../support/machine/chromium.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { put, type RunningConsole, runConsole, startConsole } from './console-world.js';
import { axeOf, click, treeUrl, waitForText, withPage } from './page-world.js';

chromiumTest('a fail-over is seen as it happens', async () => {
  const ensemble = await startBundledEnsemble({ size: 3 });
  const folder = makeTempDir('console');
  let [api, browser]: [RunningConsole?, Browser?] = [];
  try {
    const args = ['--interval', '300', '--trend-file', `${folder.path}/trend`];
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
    const finding = new RegExp(`${leader}.*refused.*What to do: member:refused.*Look:`);
    await waitForText(page, '#findings', finding);
    const next = await waitForText(page, '#summary', /leads, 2 of 3 voters in sync/);
    assert.is.not(leaderOf(next), leader);
    await waitForText(page, '#changes', /election.*a new epoch was elected/);
    assert.is(await api.stop(), 0, api.output());
    api = await startConsole(ensemble.connectString, args);
    await page.page.goto(api.url);
    await waitForText(page, '#changes', /election.*a new epoch was elected/);
    const { leaders } = (await api.ask('/trend')).body as { leaders: { server: string | null }[] };
    // A poll that nobody answers in time sees no leader.
    const servers = leaders.flatMap(({ server }) => server ?? []);
    assert.equal([servers[0], servers.at(-1)], [leader, leaderOf(next)]);
    await page.page.waitForSelector('#leaders i');
    const alternative = String(await page.page.evaluate('leaders.ariaLabel'));
    assert.match(
      alternative,
      new RegExp(`^Leader over the last hour: .*${leader} .*${leaderOf(next)}`),
    );
    assert.equal(page.faults, []);
  } finally {
    await browser?.close();
    await api?.stop();
    await ensemble.close();
    folder.remove();
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

chromiumTest('a wrong password shows nothing, the right one the console and its user', async () => {
  const folder = makeTempDir('console');
  const users = `${folder.path}/users`;
  try {
    const { output } = await runConsole(['--new-user', 'ana'], 'correct horse\n');
    writeFileSync(users, output, { mode: 0o600 });
    await withPage(['--users', users], async ({ api, browser }) => {
      for (const password of ['wrong horse', 'correct horse']) {
        const tab = await browser.newPage();
        await tab.authenticate({ username: 'ana', password });
        const status = (await tab.goto(api.url).catch(() => null))?.status();
        const isRight = password.startsWith('correct');
        assert.is(status === 200, isRight, `${status}`);
        const shown = async () => String(await tab.evaluate('document.body.innerText'));
        if (isRight) await waitFor('the user', async () => /ana/.test(await shown()));
        else assert.not.match(await shown(), /Ensemble|Members/);
        await tab.close();
      }
    });
  } finally {
    folder.remove();
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

chromiumTest('the detail of a member lists its connections, the slowest first', () =>
  withPage([], async ({ api, client, server, browser }) => {
    const quick = createClient({ connectString: server });
    try {
      await quick.connect();
      const page = await openPage(browser, `${api.url}#/member/${encodeURIComponent(server)}`);
      await click(page, 'Connections');
      for (const { sessionId } of [client, quick]) {
        await waitForText(page, '.detail table', new RegExp(`0x${sessionId.toString(16)}`));
      }
      const cellsOf = (column: number) =>
        page.page.evaluate(`[...document.querySelectorAll('.detail tbody tr')].map(
          ({ cells }) => cells[${column}].innerText)`) as Promise<string[]>;
      // A connection without a session, as that of the console itself, has no latency.
      const slowest = (await cellsOf(7)).map((cell) => (cell === '-' ? -1 : Number(cell)));
      assert.ok(slowest.includes(-1));
      assert.equal(
        slowest,
        slowest.toSorted((a, b) => b - a),
      );
      await click(page, 'CLIENT');
      const clients = await cellsOf(0);
      assert.equal(clients, clients.toSorted());
      await client.addWatch('/watched', AddWatchMode.PERSISTENT, () => undefined);
      await click(page, 'Watches by path');
      const owner = new RegExp(`/watched0x${client.sessionId.toString(16)}`);
      await waitForText(page, '.detail table', owner);
      await click(page, 'Watches by session');
      await waitForText(page, '.detail table', /0x\w+\/watched/);
      await click(page, 'Slow requests');
      const line = /^curl http:\/\/127\.0\.0\.1:\d+\/api\/v1\/members\/\S+\/slow-requests$/;
      await waitForText(page, '.tabs ~ .command code', line);
      assert.equal(page.faults, []);
      await click(page, 'Slow requests');
      await waitForText(page, '.detail', /not a member with a known AdminServer.*add admin=PORT/);
    } finally {
      await quick.close();
    }
  }),
);

/** Each with an element that only it has. */
const VIEWS: readonly (readonly [view: string, selector: string])[] = [
  ['ensemble', '.curve .u-legend'],
  ['member/{server}', '.detail pre'],
  ['tree/%2Fapp', '.detail #acl-words'],
  ['search/%2F', 'select[name=changed]'],
  ['changes/', '#own-changes button'],
];

chromiumTest('views fit any width, are read by screen readers, and have enough contrast', () =>
  withPage(['--allow-writes'], async ({ api, server, client, browser }) => {
    await client.create('/app', '{"a":[1,"b",null]}');
    await api.ask('/znode?path=/app', put('{"a":[2,"b",null]}', 0));
    const page = await openPage(browser, api.url);
    const { page: tab } = page;
    await tab.evaluate("document.body.append(document.createElement('img'))");
    assert.match(String(await axeOf(page)), 'image-alt: <img>');
    await tab.evaluate("document.querySelector('body > img').remove()");
    for (const scheme of ['light', 'dark']) {
      await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      for (const width of [360, 2560]) {
        await tab.setViewport({ width, height: 800 });
        for (const [view, selector] of VIEWS) {
          const at = `${view} at ${width}, ${scheme}`;
          await tab.goto(`${api.url}#/${view.replace('{server}', encodeURIComponent(server))}`);
          if (view.startsWith('tree')) await click(page, 'Edit the ACL');
          await tab.waitForSelector(selector);
          const surplus = 'document.documentElement.scrollWidth - innerWidth';
          assert.is(await tab.evaluate(surplus), 0, at);
          await tab.evaluate(
            "for (const one of document.querySelectorAll('details')) one.open = true",
          );
          assert.equal(await axeOf(page), [], at);
        }
      }
    }
    assert.equal(page.faults, []);
  }),
);

test.run();
