import type { Browser } from 'puppeteer-core';
import type { StartServerOptions } from '../../src/server/main.js';
import { startChromium, type WatchedPage } from '../support/machine/chromium.js';
import { waitFor } from '../support/wait-for.js';
import { type RunningConsole, type World, withConsole } from './console-world.js';

export interface PageWorld extends World {
  readonly browser: Browser;
}

/** A console in a browser. */
export async function withPage(
  args: readonly string[],
  work: (world: PageWorld) => Promise<void>,
  options?: StartServerOptions,
): Promise<void> {
  await withConsole(
    args,
    async (world) => {
      const browser = await startChromium();
      try {
        await work({ ...world, browser });
      } finally {
        await browser.close();
      }
    },
    options,
  );
}

export const treeUrl = (api: RunningConsole, path: string) =>
  `${api.url}#/tree/${encodeURIComponent(path)}`;

export function waitForText(
  { text }: WatchedPage,
  selector: string,
  pattern: RegExp,
): Promise<string> {
  return waitFor(`${selector} to show ${pattern}`, async () => {
    const shown = await text(selector);
    return pattern.test(shown) ? shown : undefined;
  });
}

/** Typing adds to the old text if the page draws the field again meanwhile. */
export async function fill({ page }: WatchedPage, selector: string, text: string): Promise<void> {
  await page.waitForSelector(selector);
  await page.evaluate(`{
    const field = document.querySelector(${JSON.stringify(selector)});
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
}

export async function click({ page }: WatchedPage, text: string): Promise<void> {
  // At its element and not at its place: what arrives live may move it meanwhile.
  const found = await page.locator(`::-p-text(${text})`).waitHandle();
  await found.evaluate((one) => (one as unknown as { click(): void }).click());
}

/** What axe finds in the page, as it is now. */
export async function axeOf({ page }: WatchedPage): Promise<unknown> {
  const { source } = (await import('axe-core')).default;
  await page.evaluate(`if (!('axe' in window)) { ${source} }`);
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}
