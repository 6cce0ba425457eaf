import { existsSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer-core';
import { test } from 'uvu';

/** Where Debian's package chromium puts it. */
const CHROMIUM = '/usr/bin/chromium';

const lacking = existsSync(CHROMIUM) ? undefined : "Debian's chromium is not installed";
if (lacking !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: the page of the console in a browser: ${lacking}`);
}

/** Registers a test that needs Chromium; without it the test counts as skipped. */
export const chromiumTest = lacking === undefined ? test : test.skip;

export async function startChromium(): Promise<Browser> {
  const { launch } = await import('puppeteer-core');
  return launch({
    executablePath: CHROMIUM,
    // The sandbox needs a user that is not root, and shared memory is small in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong in the page, and what its Content-Security-Policy stopped. */
  readonly faults: readonly string[];
  /** The text of the first match; "" without one. */
  text(selector: string): Promise<string>;
}

/** Opens a page, and collects its errors, except refusals of the API, which the page shows. */
export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
  page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`));
  await page.goto(url);
  return {
    page,
    faults,
    text: async (selector) => {
      const found = `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`;
      return String(await page.evaluate(found));
    },
  };
}
