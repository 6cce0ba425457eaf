import type { Page } from 'puppeteer-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumTest, openPage, type WatchedPage } from '../support/machine/chromium.js';
import { freePort } from '../support/machine/free-port.js';
import { waitFor } from '../support/wait-for.js';
import { startConsole } from './console-world.js';
import { axeOf, click, fill, treeUrl, waitForText, withPage } from './page-world.js';

const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.innerText',
  );

/** Presses Tab until an element with this name has the focus. */
async function tabTo({ page }: WatchedPage, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (name.test(String(await focused(page)))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never reaches ${name}`);
}

chromiumTest('the keyboard moves through the tree, edits, and saves', () =>
  withPage(['--allow-writes'], async ({ api, client, browser }) => {
    await client.create('/a');
    const names = Array.from({ length: 200 }, (_, at) => `n${String(at).padStart(3, '0')}`);
    await client.multi(names.map((name) => ({ op: 'create', path: `/a/${name}` })));
    await client.create('/b', 'old');
    const page = await openPage(browser, treeUrl(api, '/'));
    const { keyboard } = page.page;
    await waitForText(page, '.rows', /a200.*b/);
    await page.page.focus('.rows');
    const press = async (
      key: 'ArrowDown' | 'ArrowUp' | 'ArrowLeft' | 'ArrowRight' | 'PageDown' | 'PageUp',
      wanted: RegExp,
    ) => {
      await keyboard.press(key);
      return waitForText(page, '.detail h2', wanted);
    };
    await press('ArrowDown', /^\/a$/);
    await press('ArrowRight', /^\/a$/);
    await waitForText(page, '.rows', /n000/);
    await press('ArrowDown', /^\/a\/n000$/);
    const far = await press('PageDown', /^\/a\/n0[1-9]\d$/);
    await press('PageUp', /^\/a\/n000$/);
    assert.ok(Number(far.slice(-3)) > 5, far);
    await press('ArrowLeft', /^\/a$/);
    await press('ArrowLeft', /^\/a$/);
    await press('ArrowDown', /^\/b$/);
    await press('ArrowUp', /^\/a$/);
    await press('ArrowDown', /^\/b$/);

    await waitForText(page, '#value', /old/);
    await tabTo(page, /^Edit$/);
    await keyboard.press('Enter');
    await waitFor('the focus', async () => (await focused(page.page)) === 'data');
    await keyboard.down('Control');
    await keyboard.press('a');
    await keyboard.up('Control');
    await keyboard.type('new');
    await tabTo(page, /^Save over version 0$/);
    await keyboard.press('Enter');
    await waitForText(page, '#value', /new/);
    assert.is(String((await client.getData('/b')).data), 'new');
    await waitFor('the focus', async () => (await focused(page.page)) === 'Edit');
    assert.equal(page.faults, []);
  }),
);

chromiumTest('a search by value finds it, and Cancel ends a search', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/many');
    const names = Array.from({ length: 2500 }, (_, at) => `n${String(at).padStart(4, '0')}`);
    for (const from of [0, 1250]) {
      const batch = names.slice(from, from + 1250);
      await client.multi(
        batch.map((name) => ({ op: 'create', path: `/many/${name}`, data: name })),
      );
    }
    await client.create('/needle', 'host=db1\nport=5432');
    const page = await openPage(browser, `${api.url}#/search/%2F`);
    const { page: tab } = page;
    await fill(page, 'input[name=value]', 'port=54');
    await tab.locator('button[type=submit]').click();
    await waitForText(page, 'main [role=status]', /^1 found in \d+ znodes, done$/);
    await waitForText(page, '#matches', /^\/needle/);
    assert.equal(await axeOf(page), []);

    await tab.setRequestInterception(true);
    // The second part of the search waits until it is canceled.
    tab.on('request', (asked) => {
      if (!asked.url().includes('after=')) asked.continue().catch(() => undefined);
    });
    await fill(page, 'input[name=value]', 'n00');
    await tab.locator('button[type=submit]').click();
    await waitForText(page, 'main [role=status]', /^\d+ found in [1-9]\d* znodes …$/);
    await click(page, 'Cancel');
    await waitForText(page, 'main [role=status]', /^\d+ found in [1-9]\d* znodes, canceled$/);
    assert.is(await page.text('.fault'), '');
    assert.equal(page.faults, []);
  }),
);

chromiumTest('a conflict, a critical finding, and a table are accessible', () =>
  withPage(['--allow-writes'], async ({ api, client, server, browser }) => {
    await client.create('/config', 'one\ntwo');
    const down = `127.0.0.1:${await freePort()}`;
    const other = await startConsole(`${server},${down}`);
    try {
      const page = await openPage(browser, treeUrl(api, '/config'));
      for (const scheme of ['light', 'dark']) {
        await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.page.goto('about:blank');
        await page.page.goto(treeUrl(api, '/config'));
        await client.setData('/config', 'one\ntwo');
        await waitForText(page, '#value', /two/);
        await click(page, 'Edit');
        await client.setData('/config', `one\nother ${scheme}`);
        await fill(page, 'textarea[aria-label=data]', 'mine\ntwo');
        await click(page, 'Save over version');
        await waitForText(page, '.conflict', /mine.*other/s);
        assert.equal(await axeOf(page), [], scheme);
        await page.page.goto(`${api.url}#/member/${encodeURIComponent(server)}`);
        await click(page, 'Connections');
        await waitForText(page, '.detail table', /0x/);
        assert.equal(await axeOf(page), [], scheme);
        await page.page.goto(other.url);
        await waitForText(page, '#findings', /critical/);
        assert.equal(await axeOf(page), [], scheme);
      }
      assert.equal(page.faults, []);
    } finally {
      await other.stop();
    }
  }),
);

test.run();
