/** One table of exit statuses, one of formats, and one of common flags, over all three programs. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_STATUSES, ExitCode } from '../../src/commands/program/exit-status.js';
import { MEMBER_FORMATS, SHELL_FORMATS } from '../../src/commands/program/output-format.js';
import { taskOptions, verbOptions } from '../../src/commands/zkops/calls/options.js';
import { main } from '../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { runZkserver, SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import type { OptionSpec } from '../../src/commands/zksh/engine/command.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { ZKSH } from '../../src/commands/zksh/zksh-declaration.js';
import { parseZkshOptions } from '../../src/commands/zksh/zksh-options.js';
import { makeShellWorld } from '../support/terminal/shell-world.js';

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
  readonly letter: string | undefined;
  readonly choices: readonly string[];
}

async function declared(): Promise<readonly Declared[]> {
  const verbs = (await allCommands()).flatMap((verb) => verb.subcommands ?? [verb]);
  const shell = [ZKSH, ...verbs].flatMap(({ name: call, options }) =>
    Object.entries<OptionSpec>(options).map(([name, { letter, choices = [] }]) => {
      return { call: `zksh ${call}`, name, letter, choices };
    }),
  );
  const calls = [
    ...VERBS.map((verb) => ({ call: `zkops ${verb.name}`, options: verbOptions(verb) })),
    ...(await Promise.all(TASKS.map(({ load }) => load())))
      .flat()
      .map((task) => ({ call: `zkops ${task.name}`, options: taskOptions(task) })),
    ...SERVER_VERBS.map(({ name, options }) => ({ call: `zkserver ${name}`, options })),
  ];
  const others = calls.flatMap(({ call, options }) =>
    options.map(([flags, , kind]) => {
      const [, letter, name = ''] = /^(?:-(\w), )?--([a-z-]+)/.exec(flags) ?? [];
      return { call, name, letter, choices: Array.isArray(kind) ? (kind as string[]) : [] };
    }),
  );
  return [...shell, ...others];
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

test('one thing has one format name', async () => {
  const known: readonly string[] = [...new Set<string>([...SHELL_FORMATS, ...MEMBER_FORMATS])];
  assert.equal(known, FORMATS);
  const formats = (await declared()).filter(({ name }) => name === 'output');
  assert.ok(formats.length > VERBS.length);
  for (const { call, choices } of formats) {
    assert.equal(
      choices.filter((choice) => !known.includes(choice)),
      [],
      call,
    );
    assert.ok(choices.includes('ndjson') && choices.includes('json'), call);
  }
});

test('a common flag has one name and one letter', async () => {
  const wrong = (await declared()).filter(({ name, letter = '' }) => {
    const isApache = APACHE.includes(`${letter === '' ? '' : `-${letter}`} --${name}`);
    const isOther = Object.values(LETTERS).includes(letter) && LETTERS[name] !== letter;
    return !isApache && ((name in LETTERS && LETTERS[name] !== letter) || isOther);
  });
  assert.equal(
    wrong.map(({ call, name, letter }) => `${call}: -${letter} --${name}`),
    [],
  );
});

test.run();
