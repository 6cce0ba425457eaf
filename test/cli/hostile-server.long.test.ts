/**
 * Runs both tools against a hostile server. Each run must end with an error and print nothing
 * harmful.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { mapBounded } from '../../src/client/znodes/pace.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { callTask } from '../commands/zkops/call-task.js';
import { closeAll } from '../support/peers/fake-member.js';
import { HARMFUL, HARMS, HOSTILE_NAME, startHostile } from '../support/peers/hostile-server.js';
import { runZkops } from '../support/terminal/run-zkops.js';
import { startZksh, type ZkshRun } from '../support/terminal/run-zksh.js';
import { waitFor } from '../support/wait-for.js';

/** A run that has not ended by then hangs. Its own limits are below a second. */
const HANGS_AFTER_MS = 60_000;
const MAX_MIB = 300;
const SESSION_TASKS = ['latency', 'smoke', 'consistency'];
/** They read a folder, and query no server, or serve until they are stopped (test/console). */
const OTHER_TASKS = ['snap', 'log', 'clean', 'snapshot', 'backup', 'console'];
const FORMATS = ['table', 'json', 'ndjson', 'csv', 'plain', 'nagios'];
const MORE_ARGS: Readonly<Record<string, readonly string[]>> = {
  stmk: ['306', '--yes'],
  crst: ['--yes'],
  srst: ['--yes'],
  top: ['--once', '--interval', '50'],
  exporter: ['--once'],
  latency: ['--count', '2', '--max-time', '1s'],
  roll: ['--command', 'false {name}', '--wait', '500'],
  'move-leader': ['--to', '1'],
};

/** Prints the maximum memory of a process on standard error, in MiB. */
const MEASURE = `process.on('exit', () => process.stderr.write(
  '\\nMiB ' + Math.round(process.resourceUsage().maxRSS / 1024) + '\\n'))`;

async function runShell(port: number, script: string): Promise<ZkshRun & { readonly mib: number }> {
  const zksh = startZksh([`127.0.0.1:${port}`, '--timeout', '300', '-k', '-c', script], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MEASURE)}`,
  });
  const ended = zksh.end();
  try {
    const { child } = zksh;
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await waitFor('zksh to end', hasEnded, HANGS_AFTER_MS);
  } finally {
    zksh.child.kill('SIGKILL');
  }
  const run = await ended;
  const [stderr = '', mib = 'NaN'] = run.stderr.split('\nMiB ');
  return { ...run, stderr, mib: Number(mib) };
}

/** An option of zkops, as a call of a verb or a task in this process. */
function callZkops(name: string, port: number, more: readonly string[] = []) {
  const args = [
    ...[name, ...(MORE_ARGS[name] ?? []), '--servers', `127.0.0.1:${port}`],
    ...['--timeout', '300', '--deadline', '600', ...more],
  ];
  const isTask = TASKS.some((task) => task.name === name);
  return isTask ? callTask(args, { ask: askWord }) : runZkops([...args]);
}

/** Several at once, because most of them wait for their timeout. */
async function forEach<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for await (const { value } of mapBounded(items, 32, run)) assert.is(value, undefined);
}

function expectHarmless(text: string, about: string): void {
  assert.not.match(text, HARMFUL, about);
  assert.not.match(text, /^VERDICT forged/m, about);
  assert.not.match(text, /^\s+at .*\.[cm]?js:\d+|Unhandled|zkops: internal error/m, about);
}

const VERB_NAMES = VERBS.map(({ name }) => name);
const TASK_NAMES = TASKS.map(({ name }) => name).filter((name) => !OTHER_TASKS.includes(name));
/** The harmless result of a correct word, or of an empty response. */
const FAIR = ['forged names', 'an empty reply', 'a forged refusal'];

for (const [harm, behavior] of Object.entries(HARMS)) {
  test(`zkops ends with a verdict: ${harm}`, async () => {
    const fake = await startHostile(behavior);
    // Tasks that open sessions meet hostile sessions, and the others hostile words.
    const names = [...VERB_NAMES, ...TASK_NAMES];
    try {
      await forEach(names, async (name) => {
        const { exitCode, out, error } = await callZkops(name, fake.port);
        const about = `${name}: ${exitCode} ${out}${error}`;
        assert.ok([0, 1, 2, 3].includes(exitCode), about);
        assert.is.not(`${out}${error}`.trim(), '', about);
        expectHarmless(out + error, about);
        const isSession = SESSION_TASKS.includes(name);
        if (isSession && !FAIR.includes(harm)) assert.is.not(exitCode, 0, about);
      });
    } finally {
      await fake.close();
    }
  });

  test(`zksh ends with a sentence: ${harm}`, async () => {
    const fake = await startHostile(behavior);
    try {
      const run = await runShell(fake.port, 'ls /; create /a b; stat /a; getAcl /a');
      const about = `${run.code} ${run.stdout}${run.stderr}`;
      assert.type(run.code, 'number', about);
      assert.ok(run.mib < MAX_MIB, `${run.mib} MiB`);
      assert.is.not(`${run.stdout}${run.stderr}`.trim(), '', about);
      expectHarmless(run.stderr, about);
      // A pipe gets exact names, except for characters that would forge a line.
      assert.not.match(run.stdout, /(?!\n)\p{Cc}|^VERDICT/mu, about);
      if (!FAIR.includes(harm)) assert.is.not(run.code, 0, about);
    } finally {
      await fake.close();
    }
  });
}

test('zksh reports which server broke the protocol, and how', async () => {
  const fake = await startHostile(HARMS['a negative length'] ?? { word: () => undefined });
  try {
    const { stderr } = await runShell(fake.port, 'ls /');
    assert.match(
      stderr,
      /connection lost \(127\.0\.0\.1:\d+ violated the protocol: frame length -5 /,
    );
  } finally {
    await fake.close();
  }
});

test('no output of zkops has the control characters of a hostile name', async () => {
  const forged = HARMS['forged names'] ?? { word: () => undefined };
  const fakes = [await startHostile(forged), await startHostile(forged)];
  const servers = fakes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  try {
    const calls = VERB_NAMES.flatMap((name) => FORMATS.map((format) => [name, format] as const));
    await forEach(calls, async ([name, format]) => {
      const isWhole = VERBS.some((verb) => verb.name === name && (verb.details ?? verb.pairs));
      const more = ['-o', format, '--servers', servers, ...(isWhole ? ['--all'] : [])];
      const { out, error } = await callZkops(name, fakes[0]?.port ?? 0, more);
      expectHarmless(out + error, `${name} -o ${format}: ${out}${error}`);
    });
    const { error } = await callZkops('health', fakes[0]?.port ?? 0, ['--discover']);
    expectHarmless(error, error);
    assert.match(error, /owned/, `shown as text: ${error}`);
  } finally {
    await closeAll(fakes);
  }
});

test('many members that send endlessly use little memory', async () => {
  const harm = HARMS['a reply of 2 GB'] ?? { word: () => undefined };
  const fakes = await Promise.all(Array.from({ length: 5 }, () => startHostile(harm)));
  const servers = fakes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }, 5);
  try {
    const args = ['mntr', '--servers', servers, '--timeout', '20000', '--deadline', '30000'];
    const { exitCode, out } = await runZkops(args);
    assert.is(exitCode, 3);
    assert.match(out.replace(/\s+/g, ' '), /answer too long for mntr/);
    assert.ok(most < 150 * 1024 * 1024, `${most} bytes`);
  } finally {
    clearInterval(timer);
    await closeAll(fakes);
  }
});

test('the hostile name is hostile', () => {
  assert.match(HOSTILE_NAME, HARMFUL);
});

test.run();
