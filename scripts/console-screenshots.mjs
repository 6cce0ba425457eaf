// Renders docs/images/console-*.webp from the page of the console in Debian's chromium, on an
// ensemble of its own: npm run screenshots -- console.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';
import { createClient } from '../dist/src/client/zookeeper.js';
import { slowDown, startMembers } from '../dist/test/console/member-processes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const SERVERS = '127.0.0.1:21810,127.0.0.1:21811,127.0.0.1:21812';
const URL_OF_CONSOLE = 'http://127.0.0.1:8091/';
/** With --allow-writes. */
const URL_OF_WRITER = 'http://127.0.0.1:8092/';
const TIMEOUT_MS = 120_000;
const QUALITY = 70;
/** All columns of the members fit. */
const WIDE = { width: 1600, height: 1000 };
const NORMAL = { width: 1100, height: 760 };
/** The time that the charts show. */
const LOAD_MS = 45_000;

const program = (name) => join(root, 'dist/bin', `${name}.cjs`);

function start(name, ...args) {
  return spawn(process.execPath, [program(name), ...args], { stdio: 'ignore' });
}

function zksh(line) {
  const { status, stderr } = spawnSync(process.execPath, [program('zksh'), SERVERS, '-c', line], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${line}: ${stderr}`);
}

async function until(what, condition) {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await delay(200)) {
    if (await condition()) return;
  }
  throw new Error(`${what} takes longer than ${TIMEOUT_MS} ms`);
}

async function isReady(url) {
  const response = await fetch(`${url}api/v1/ready`).catch(() => undefined);
  return response?.ok === true;
}

const save = (page, name) =>
  page.screenshot({ path: join(root, `docs/images/console-${name}.webp`), quality: QUALITY });

/** Another client changes a line of the value while the page edits the other one. */
async function shootConflict(page) {
  zksh('create /app "pool=10\\nname=app\\ntimeout=30"');
  await page.goto(`${URL_OF_WRITER}#/tree/%2Fapp`);
  const press = (text) => page.locator(`::-p-text(${text})`).click();
  await press('Edit');
  zksh('set /app "pool=10\\nname=app\\ntimeout=60"');
  await page.locator('textarea[aria-label=data]').fill('pool=20\nname=app\ntimeout=30');
  await press('Save over version 0');
  await until('conflict', () => page.evaluate("document.querySelector('.conflict') !== null"));
  await save(page, 'conflict');
}

const has = (selector, count) => `document.querySelectorAll('${selector}').length >= ${count}`;

async function shoot(page, name, view, isShown) {
  await page.goto(`${URL_OF_CONSOLE}#/${view}`);
  await until(name, () => page.evaluate(isShown));
  await save(page, name);
}

async function shootSearch(page) {
  await page.setViewport({ ...NORMAL, height: 300 });
  await page.goto(`${URL_OF_CONSOLE}#/search/%2Fconfig`);
  await page.waitForSelector('select[name=changed]');
  await page.select('select[name=changed]', '300');
  await page.locator('button[type=submit]').click();
  await until('search', () => page.evaluate(has('#matches li', 2)));
  await save(page, 'search');
  await page.setViewport(NORMAL);
}

/** A member that runs for a sixth of the time, while a client writes through each member. */
async function shootSlow(page, { all, follower }) {
  const clients = all.map(({ server }) => createClient({ connectString: server }));
  const ends = Date.now() + LOAD_MS;
  let isDone = false;
  const write = async (client) => {
    await client.connect();
    for (let at = 0; !isDone; at++) {
      await client.setData('/load', `${at}`);
      await delay(20);
    }
    await client.close();
  };
  zksh('create /load');
  const writes = Promise.all(clients.map(write));
  await delay(LOAD_MS / 3);
  const letRun = slowDown(follower.pid);
  try {
    await until('the load', () => Date.now() > ends);
    await page.setViewport(WIDE);
    const isNamed = `findings.innerText.includes('${follower.server}')`;
    await shoot(
      page,
      'ensemble',
      'ensemble',
      `${has('#findings li', 1)} && ${isNamed} && ${has('#leaders', 1)} && ${has('.curve canvas', 4)}`,
    );
    await page.setViewport({ ...NORMAL, width: 1250 });
    await page.goto(`${URL_OF_CONSOLE}#/member/${encodeURIComponent(follower.server)}`);
    await page.locator('button::-p-text(Connections)').click();
    await until('member', () => page.evaluate(has('.detail tbody tr', 1)));
    await save(page, 'member');
  } finally {
    isDone = true;
    await letRun();
    await writes;
  }
}

const members = await startMembers(21810);
const processes = [];
let browser;
try {
  const listen = ['--listen', '127.0.0.1:8091', '--interval', '1000', '--record', '/config'];
  processes.push(start('zkops', 'console', '--servers', SERVERS, ...listen));
  const writer = ['--listen', '127.0.0.1:8092', '--allow-writes'];
  processes.push(start('zkops', 'console', '--servers', SERVERS, ...writer));
  for (const url of [URL_OF_CONSOLE, URL_OF_WRITER]) await until('the start', () => isReady(url));
  zksh('create /config; create /config/db \'{"host":"db1","port":5432}\'; create /config/flags on');
  zksh('set /config/db \'{"host":"db2","port":5432}\'; delete /config/flags');
  for (let at = 0; at < 3; at++) {
    processes.push(start('zksh', SERVERS, '-c', 'lock /locks/job -- sleep 300'));
  }
  browser = await launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.setViewport(NORMAL);
  await shoot(
    page,
    'lock',
    'tree/%2Flocks%2Fjob',
    `${has('#line li', 3)} && /client/.test(line.innerText) && ${has('.row.selected', 1)}`,
  );
  await shoot(page, 'config', 'tree/%2Fconfig', has('#events li', 5));
  await shootSearch(page);
  await shootConflict(page);
  await shootSlow(page, members);
} finally {
  await browser?.close();
  for (const one of processes.reverse()) one.kill();
  await members.close();
}
