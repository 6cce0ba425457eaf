import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumTest, openPage } from '../support/machine/chromium.js';
import { waitFor } from '../support/wait-for.js';
import { click, treeUrl, waitForText, withPage } from './page-world.js';

/** A red dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
  'base64',
);

chromiumTest('a value is shown as folded JSON, as an image, and decompressed', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/json', '{"a":{"b":{"c":{"d":{"deep":1}}}}}');
    await client.create('/image', PNG);
    await client.create('/gzip', gzipSync('{"packed":true}'));
    await client.create('/damaged', gzipSync('x').subarray(0, 12));
    const page = await openPage(browser, treeUrl(api, '/json'));
    await waitForText(page, '#value', /deep/);
    const isOpen = () =>
      page.page.evaluate('[...value.querySelectorAll("details")].map((d) => d.open)');
    assert.equal(await isOpen(), [true, true, true, false, false]);
    await click(page, '{ 1 }');
    await waitFor('the fold', async () => ((await isOpen()) as boolean[])[0] === false);

    await page.page.goto(treeUrl(api, '/image'));
    const width = 'document.querySelector("main img")?.naturalWidth';
    await waitFor('the image', async () => (await page.page.evaluate(width)) === 5);
    await click(page, 'hex');
    await waitForText(page, '#value', /89 50 4e 47/);

    await page.page.goto(treeUrl(api, '/gzip'));
    await waitForText(page, '#value', /1f 8b/);
    await click(page, 'decompress gzip');
    await waitForText(page, '#value', /packed/);
    await client.create('/gzip/child');
    await waitForText(page, '#events', /child/);
    assert.match(await page.text('#value'), 'packed', 'also when the page is drawn again');

    await page.page.goto(treeUrl(api, '/damaged'));
    await waitForText(page, '#value', /1f 8b/);
    await click(page, 'decompress gzip');
    await waitForText(page, '.fault', /damaged/);
    assert.equal(page.faults, []);
  }),
);

chromiumTest('the root has no times, and its page says so', () =>
  withPage([], async ({ api, browser }) => {
    const page = await openPage(browser, treeUrl(api, '/'));
    await waitForText(page, '.facts', /Created- by txn 0x0/);
    assert.not.match(await page.text('main'), '1970');
  }),
);

chromiumTest('without the clipboard of a secure page, a command line is copied or selected', () =>
  withPage([], async ({ api, browser }) => {
    const page = await openPage(browser, api.url);
    await page.page.evaluateOnNewDocument(`
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.addEventListener('copy', () => { window.copied = getSelection().toString(); });`);
    for (const isAllowed of [true, false]) {
      await page.page.goto('about:blank');
      await page.page.goto(treeUrl(api, '/'));
      await waitForText(page, '.command code', /get \//);
      if (!isAllowed) await page.page.evaluate('document.execCommand = () => false');
      const line = await page.text('.command code');
      await page.page.locator('.command button').click();
      const wanted = isAllowed ? /^copied$/ : /^selected: press Ctrl\+C$/;
      await waitForText(page, '.command button', wanted);
      const kept = isAllowed ? 'window.copied' : 'getSelection().toString()';
      assert.is(await page.page.evaluate(kept), line);
    }
    assert.equal(page.faults, []);
  }),
);

chromiumTest('charts show times as the rest of the page', () =>
  withPage(['--interval', '300'], async ({ api, browser }) => {
    const page = await openPage(browser, api.url);
    await page.page.emulateTimezone('Asia/Kolkata');
    await page.page.evaluateOnNewDocument(`
      window.drawn = new Set();
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        drawn.add(String(text));
        return fillText.call(this, text, ...rest);
      };`);
    await page.page.reload();
    const drawn = async () => (await page.page.evaluate('[...drawn]')) as string[];
    const labels = await waitFor('labels of times', async () => {
      const all = (await drawn()).filter((text) => /[:/]/.test(text));
      return all.length > 0 ? all : undefined;
    });
    const numbers = await waitFor('labels of bytes', async () => {
      const all = (await drawn()).filter((text) => /^\d[\d,.]*[KMG]?$/.test(text));
      return all.some((text) => /M$|,000,/.test(text)) ? all : undefined;
    });
    assert.equal(
      numbers.filter((text) => text.length > 7),
      [],
      'labels that the axis would cut',
    );
    const clock = String(await page.page.evaluate('new Date().toTimeString().slice(0, 2)'));
    for (const label of labels) assert.match(label, /^\d\d:\d\d(:\d\d)?$/);
    assert.ok(
      labels.some((label) => label.startsWith(clock.slice(0, 1))),
      labels.join(),
    );
    const shown = await waitForText(page, '.verdict time', /\S/);
    assert.match(shown, /^\d\d:\d\d:\d\d$/);
    assert.is(shown.slice(0, 2), clock);
  }),
);

test.run();
