/** The three questions of docs/console.md, from the start of the page to the answer. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import {
  chromiumTest,
  openPage,
  startChromium,
  type WatchedPage,
} from '../support/machine/chromium.js';
import { waitFor } from '../support/wait-for.js';
import { startConsole } from './console-world.js';
import { slowDown, startMembers } from './member-processes.js';
import { fill, waitForText, withPage } from './page-world.js';

/** Counts what a person does, and the time until the answer; prints both, and asserts no time. */
class Walk {
  private readonly page: WatchedPage;
  private readonly question: string;
  private readonly beganAt = performance.now();
  private steps = 0;

  constructor(page: WatchedPage, question: string) {
    this.page = page;
    this.question = question;
  }

  async click(selector: string): Promise<void> {
    this.steps++;
    await this.page.page.locator(selector).click();
  }

  async type(selector: string, text: string): Promise<void> {
    this.steps++;
    await fill(this.page, selector, text);
  }

  async choose(selector: string, value: string): Promise<void> {
    this.steps++;
    await this.page.page.waitForSelector(selector);
    await this.page.page.select(selector, value);
  }

  end(): void {
    const seconds = ((performance.now() - this.beganAt) / 1000).toFixed(1);
    console.log(`${this.question} ${this.steps} clicks and inputs, ${seconds} s`);
    assert.equal(this.page.faults, []);
  }
}

chromiumTest('who holds a lock', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/job');
    for (const name of ['b-lock-', 'a-lock-']) {
      await client.create(`/job/${name}`, name, { mode: CreateModes.EPHEMERAL_SEQUENTIAL });
    }
    const page = await openPage(browser, api.url);
    await waitForText(page, '#summary', /serves/);
    const walk = new Walk(page, 'Who holds a lock?');
    await walk.click('nav ::-p-text(Tree)');
    await walk.type('input[aria-label=path]', '/job');
    await walk.click('button::-p-text(Go)');
    const owner = `0x${client.sessionId.toString(16)}`;
    const holder = `^first \\(holder\\): b-lock-0000000000 session ${owner} of client 127`;
    await waitForText(page, '#line', new RegExp(holder));
    walk.end();
  }),
);

chromiumTest('what changed in /config in the last five minutes', () =>
  withPage([], async ({ api, client, browser }) => {
    await client.create('/config', 'x');
    await client.create('/other', 'x');
    const page = await openPage(browser, api.url);
    await waitForText(page, '#summary', /serves/);
    const walk = new Walk(page, 'What changed in /config?');
    await walk.click('nav ::-p-text(Search)');
    await walk.type('input[name=root]', '/config');
    await walk.choose('select[name=changed]', '300');
    await walk.click('button[type=submit]');
    await waitForText(page, '#matches', /^\/config \S+/);
    assert.match(await page.text('main [role=status]'), /^1 found in 1 znodes, done$/);
    await walk.click('#matches a');
    await waitForText(page, '#value', /^x$/);
    walk.end();
  }),
);

/** More than the member can answer while it runs, so that its queue stays full. */
const WRITES_IN_FLIGHT = 5000;

async function writeAlways(client: SessionClient, signal: AbortSignal): Promise<void> {
  const write = async () => {
    while (!signal.aborted) await client.setData('/load', 'x');
  };
  await Promise.all(Array.from({ length: WRITES_IN_FLIGHT }, write));
}

chromiumTest('why a member lags', async () => {
  const members = await startMembers();
  const { server, pid } = members.follower;
  const client = createClient({ connectString: server });
  const [api, browser] = await Promise.all([
    startConsole(members.connectString, ['--interval', '1000']),
    startChromium(),
  ]);
  const isDone = new AbortController();
  let letRun: (() => Promise<void>) | undefined;
  let writes: Promise<void> | undefined;
  try {
    await client.connect();
    await client.create('/load');
    const page = await openPage(browser, api.url);
    await waitForText(page, '#summary', /3 of 3 voters in sync/);
    letRun = slowDown(pid);
    writes = writeAlways(client, isDone.signal);
    await waitForText(page, '#findings', new RegExp(`${server}.*requests waiting in its queue`));
    const walk = new Walk(page, 'Why does a member lag?');
    await walk.click('#findings summary');
    await waitForText(page, '#findings details[open]', /queue of a member/);
    await walk.click(`th a::-p-text(${server})`);
    await waitForText(page, '.detail h2', new RegExp(server));
    await waitForText(page, '.detail .facts', /P99u ms/);
    const session = new RegExp(`0x${client.sessionId.toString(16)}`);
    // A slow member may not answer in time, so a person asks it again.
    await waitFor('the connections', async () => {
      await walk.click('button::-p-text(Connections)');
      const answer = await waitForText(page, '.detail table, .detail [role=alert]', /./);
      return session.test(answer);
    });
    walk.end();
  } finally {
    isDone.abort();
    await letRun?.();
    await writes?.catch(() => undefined);
    await client.close();
    await browser.close();
    await api.stop();
    await members.close();
  }
});

chromiumTest('the first view is measured', () =>
  withPage([], async ({ api, browser }) => {
    const page = await openPage(browser, 'about:blank');
    await page.page.evaluateOnNewDocument(`
      new MutationObserver((_, observer) => {
        if (document.querySelector('tbody tr') === null) return;
        window.shownAfterMs = performance.now();
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });`);
    for (const what of ['first', 'second']) {
      await page.page.goto('about:blank');
      await page.page.goto(api.url);
      await page.page.waitForSelector('tbody tr');
      const ms = Number(await page.page.evaluate('shownAfterMs'));
      assert.ok(ms > 0);
      console.log(`the ${what} time, the members are shown ${ms.toFixed(0)} ms after the start`);
    }
  }),
);

test.run();
