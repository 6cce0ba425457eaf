// Renders docs/images/console-*.webp from the page of the console in Debian's chromium, on an
// ensemble of its own: npm run screenshots:console.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launch } from 'puppeteer-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const SERVERS = '127.0.0.1:21810,127.0.0.1:21811,127.0.0.1:21812';
const URL_OF_CONSOLE = 'http://127.0.0.1:8091/';
/** With --allow-writes. */
const URL_OF_WRITER = 'http://127.0.0.1:8092/';
const TIMEOUT_MS = 60_000;

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
  await page.screenshot({ path: join(root, 'docs/images/console-conflict.webp'), quality: 80 });
}

const home = mkdtempSync(join(tmpdir(), 'console-'));
const processes = [
  start('zkserver', 'ensemble', '--base-port', '21810', '--dir', join(home, 'data')),
];
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
  const browser = await launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1100, height: 760 });
  const shoot = async (name, view, isShown) => {
    await page.goto(`${URL_OF_CONSOLE}#/${view}`);
    await until(name, () => page.evaluate(isShown));
    await page.screenshot({ path: join(root, `docs/images/console-${name}.webp`), quality: 80 });
  };
  const has = (selector, count) => `document.querySelectorAll('${selector}').length >= ${count}`;
  await shoot(
    'lock',
    'tree/%2Flocks%2Fjob',
    `${has('#line li', 3)} && /client/.test(line.innerText) && ${has('.row.selected', 1)}`,
  );
  await shoot('config', 'tree/%2Fconfig', has('#events li', 5));
  await shootConflict(page);
  // A member that does not answer; its process continues below.
  const { stdout } = spawnSync('pgrep', ['-P', String(processes[0].pid)], { encoding: 'utf8' });
  const [member] = stdout.trim().split('\n').map(Number);
  process.kill(member, 'SIGSTOP');
  await shoot('ensemble', 'ensemble', has('#findings li', 1));
  process.kill(member, 'SIGCONT');
  await browser.close();
} finally {
  for (const one of processes.reverse()) one.kill();
  await delay(2000);
  rmSync(home, { recursive: true, force: true });
}
