/** One table of exit statuses, one of formats, and one of common flags, over all three programs. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OptionSpec, OptionSpecs } from '../../src/commands/machine/declaration.js';
import { optionRows } from '../../src/commands/machine/help-text.js';
import { parseArguments } from '../../src/commands/machine/parse-arguments.js';
import { tokensOf } from '../../src/commands/machine/word-role.js';
import { EXIT_STATUSES, ExitCode } from '../../src/commands/program/exit-status.js';
import { MEMBER_FORMATS, SHELL_FORMATS } from '../../src/commands/program/output-format.js';
import { taskOptions, verbOptions } from '../../src/commands/zkops/calls/options.js';
import { main } from '../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { runZkserver, SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { durationOf as ageOf } from '../../src/commands/zksh/verbs/tree/name-pattern.js';
import { ZKSH } from '../../src/commands/zksh/zksh-declaration.js';
import { parseZkshOptions } from '../../src/commands/zksh/zksh-options.js';
import { makeShellWorld } from '../support/terminal/shell-world.js';
import { readProjectFile } from '../support/tidy/source-file.js';

const FORMATS = 'text table json ndjson raw csv plain nagios prom'.split(' ');
const LETTERS: Readonly<Record<string, string>> = {
  output: 'o',
  quiet: 'q',
  'dry-run': 'n',
  yes: 'y',
  profile: 'P',
  help: 'h',
  version: 'V',
};
/** The letters and names of Apache's commands. */
const APACHE = ['-n --count', '-v --version', ' --version'];

interface Declared {
  readonly call: string;
  readonly name: string;
  readonly spec: OptionSpec;
}

/** The options of every program and verb. */
async function declared(): Promise<readonly Declared[]> {
  const verbs = (await allCommands()).flatMap((verb) => verb.subcommands ?? [verb]);
  const tasks = (await Promise.all(TASKS.map(({ load }) => load()))).flat();
  const calls: { readonly call: string; readonly options: OptionSpecs }[] = [
    ...[ZKSH, ...verbs].map(({ name, options }) => ({ call: `zksh ${name}`, options })),
    ...VERBS.map((verb) => ({ call: `zkops ${verb.name}`, options: verbOptions(verb) })),
    ...tasks.map((task) => ({ call: `zkops ${task.name}`, options: taskOptions(task) })),
    ...SERVER_VERBS.map(({ name, options }) => ({ call: `zkserver ${name}`, options })),
  ];
  return calls.flatMap(({ call, options }) =>
    Object.entries(options).map(([name, spec]) => ({ call, name, spec })),
  );
}

async function opsCall(args: readonly string[]): Promise<number> {
  return main(args, {
    ask: () => Promise.reject(new Error('not asked')),
    now: () => new Date(0),
    terminal: { width: 80, isColor: false },
    writeOut: () => undefined,
    writeError: () => undefined,
    render: () => '',
    runJob: () => Promise.reject(new Error('not run')),
  });
}

function serverCall(args: readonly string[]): Promise<number> {
  return runZkserver(args, { env: {}, writeOut: () => undefined, writeError: () => undefined });
}

const WRONG = ['--no-such-option'];

test('a usage error of any verb of any program exits with 64', async () => {
  assert.is(ExitCode.usage, 64);
  assert.throws(
    () => parseZkshOptions(WRONG, {}),
    (error: { exitCode?: unknown }) => error.exitCode === 64,
  );
  const found: string[] = [];
  const expectUsage = (call: string, status: number | undefined) => {
    if (status !== 64) found.push(`${call}: ${status}`);
  };
  for (const verb of (await allCommands()).flatMap((each) => each.subcommands ?? [each])) {
    const { error } = await makeShellWorld().runFully(`${verb.name} ${WRONG}`);
    expectUsage(`zksh ${verb.name}`, error?.exitCode);
  }
  for (const { name } of VERBS) expectUsage(`zkops ${name}`, await opsCall([name, ...WRONG]));
  for (const entry of TASKS) {
    for (const { name } of await entry.load()) {
      const words = name === entry.name ? [name] : [entry.name, name];
      expectUsage(`zkops ${words.join(' ')}`, await opsCall([...words, ...WRONG]));
    }
  }
  for (const { name } of SERVER_VERBS) {
    expectUsage(`zkserver ${name}`, await serverCall([name, ...WRONG]));
  }
  for (const words of [WRONG, ['no-such-verb']]) {
    expectUsage(`zkops ${words}`, await opsCall(words));
    expectUsage(`zkserver ${words}`, await serverCall(words));
  }
  assert.equal(found, []);
});

test('each program explains 64, and no program has another status for a usage error', () => {
  for (const statuses of Object.values(EXIT_STATUSES)) {
    const usage = statuses.filter(([, meaning]) => meaning.includes('invalid command line'));
    assert.equal(
      usage.map(([status]) => status),
      [64],
    );
  }
});

test('the guides name only exit statuses of their program', () => {
  for (const [page, statuses] of [
    ['docs/zksh.md', EXIT_STATUSES.zksh],
    ['docs/zkops.md', EXIT_STATUSES.zkops],
    ['docs/server.md', EXIT_STATUSES.zkserver],
  ] as const) {
    const [, table = ''] =
      /\| Exit status \|[^\n]*\n([\s\S]*?)\n\n/.exec(readProjectFile(page)) ?? [];
    const found = [...table.matchAll(/^\| ([\d ]+) \|/gm)].flatMap(([, text = '']) =>
      text.split(' '),
    );
    const known = statuses.map(([status]) => String(status));
    assert.equal(
      found.filter((status) => !known.includes(status)),
      [],
      page,
    );
  }
});

test('one thing has one format name', async () => {
  const known: readonly string[] = [...new Set<string>([...SHELL_FORMATS, ...MEMBER_FORMATS])];
  assert.equal(known, FORMATS);
  const formats = (await declared()).filter(({ name }) => name === 'output');
  assert.ok(formats.length > VERBS.length);
  for (const { call, spec } of formats) {
    const { choices = [] } = spec;
    assert.equal(
      choices.filter((choice) => !known.includes(choice)),
      [],
      call,
    );
    assert.ok(choices.includes('ndjson') && choices.includes('json'), call);
  }
});

test('a common flag has one name and one letter', async () => {
  const wrong = (await declared()).filter(({ name, spec: { letter = '' } }) => {
    const isApache = APACHE.includes(`${letter === '' ? '' : `-${letter}`} --${name}`);
    const isOther = Object.values(LETTERS).includes(letter) && LETTERS[name] !== letter;
    return !isApache && ((name in LETTERS && LETTERS[name] !== letter) || isOther);
  });
  assert.equal(
    wrong.map(({ call, name, spec }) => `${call}: -${spec.letter} --${name}`),
    [],
  );
});

const TIMES: Readonly<Record<string, number>> = {
  '500ms': 500,
  '60s': 60_000,
  '5m': 300_000,
  '7d': 604_800_000,
};

test('every option that is a time takes units, and help shows its default with one', async () => {
  let times = 0;
  for (const { call, name, spec } of await declared()) {
    const place = `${call} --${name}`;
    const isTime = ['TIME', 'TTL', 'AGE'].includes(spec.valueName ?? '');
    assert.is(isTime, spec.kind === 'duration' || spec.valueName === 'AGE' || name === 'keep-time');
    const isCount = spec.kind === 'integer';
    assert.not.match(`${name} ${isCount ? spec.summary : ''}`, /\b(ms|seconds|days)\b$/, place);
    if (!isTime) continue;
    times++;
    const declaration = {
      name: 'x',
      summary: '',
      args: {},
      examples: [],
      options: { [name]: spec },
    };
    for (const [text, ms] of Object.entries(TIMES)) {
      const [token] = tokensOf([text]);
      assert.ok(token);
      const parsed = parseArguments(declaration, tokensOf([`--${name}`, text])).options[name];
      assert.is(spec.valueName === 'AGE' ? ageOf(text, token) : parsed, ms, place);
    }
    const help = optionRows(declaration).join();
    assert.is(/\(default:\s+\d+(ms|s|m|h|d)\)/.test(help), spec.fallback !== undefined, place);
  }
  assert.ok(times > 50);
});

test.run();
