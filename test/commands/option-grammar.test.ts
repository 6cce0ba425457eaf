/** One grammar for the options of all three programs. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOption } from '../../src/commands/program/command-line.js';
import { taskOptions, verbOptions } from '../../src/commands/zkops/calls/options.js';
import { main } from '../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import type { Command, OptionSpec } from '../../src/commands/zksh/engine/command.js';
import { durationOf } from '../../src/commands/zksh/engine/word-value.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { durationOf as ageOf } from '../../src/commands/zksh/verbs/tree/name-pattern.js';
import { ZKSH } from '../../src/commands/zksh/zksh-declaration.js';

interface OpsCall {
  readonly words: readonly string[];
  readonly options: readonly CallOption[];
}

async function opsCalls(): Promise<OpsCall[]> {
  const calls: OpsCall[] = VERBS.map((verb) => ({
    words: [verb.name],
    options: verbOptions(verb),
  }));
  for (const { name: entry, load } of TASKS) {
    for (const task of await load()) {
      const words = task.name === entry ? [entry] : [entry, task.name];
      calls.push({ words, options: taskOptions(task) });
    }
  }
  return calls;
}

/** The options of zksh and of each command, with the name of the command. */
async function shellOptions(): Promise<(readonly [command: string, option: string, OptionSpec])[]> {
  const verbs = await allCommands();
  const commands = verbs.flatMap((verb): readonly Pick<Command, 'name' | 'options'>[] =>
    verb.subcommands === undefined ? [verb] : verb.subcommands,
  );
  return [ZKSH, ...commands].flatMap(({ name, options }) =>
    Object.entries<OptionSpec>(options).map(([option, spec]) => [name, option, spec] as const),
  );
}

/** A call of zkops that never asks a member. */
async function callOf(args: readonly string[]) {
  const written = { out: '', error: '' };
  const exitCode = await main(args, {
    ask: () => Promise.reject(new Error('not asked')),
    now: () => new Date(0),
    terminal: { width: 80, isColor: false },
    writeOut: (text) => {
      written.out += text;
    },
    writeError: (text) => {
      written.error += text;
    },
    render: () => '',
  });
  return { exitCode, ...written };
}

/** Apache's shell has these. */
const APACHE_N = ['setquota --count', 'delquota --count'];

test('-n is always a dry run, and every dry run has -n', async () => {
  const shell = (await shellOptions()).map(
    ([command, option, { letter }]) => [`${command} --${option}`, letter] as const,
  );
  const own = [
    ...(await opsCalls()),
    ...SERVER_VERBS.map(({ name, options }) => ({ words: [name], options })),
  ];
  const others = own.flatMap(({ words, options }) =>
    options.map(([flags]) => {
      const [, letter, name = flags] = /^(?:-(\w), )?(--[a-z-]+)/.exec(flags) ?? [];
      return [`${words.join(' ')} ${name}`, letter] as const;
    }),
  );
  const all = [...shell, ...others].filter(([name]) => !APACHE_N.includes(name));
  const dry = all.filter(([name]) => name.endsWith(' --dry-run')).map(([name]) => name);
  assert.ok(dry.length > 15);
  assert.equal(
    all.filter(([, letter]) => letter === 'n').map(([name]) => name),
    dry,
  );
});

const TIMES = ['500ms', '60s', '5m', '7d'];

test('every option of zkops and zkserver that is a time takes units, and shows its default with one', async () => {
  const times: string[] = [];
  const servers = SERVER_VERBS.flatMap(({ options }) => options);
  const calls = await opsCalls();
  for (const [flags, about, kind] of [...servers, ...calls.flatMap(({ options }) => options)]) {
    assert.is(flags.includes('<time>'), kind === 'ms' || flags.startsWith('--keep-time'), flags);
    assert.not.match(
      `${flags} ${kind === 'count' ? about : ''}`,
      /\b(ms|seconds|days)\b>?$/,
      flags,
    );
  }
  for (const { words, options } of calls) {
    for (const [flags, , , fallback] of options.filter(([each]) => each.includes('<time>'))) {
      const [flag = ''] = flags.split(' ');
      times.push(flag);
      for (const text of TIMES) {
        const { exitCode, error, out } = await callOf([...words, flag, text, '--help']);
        assert.is(exitCode, 0, `${words.join(' ')} ${flag} ${text}: ${error}`);
        const [own = ''] = out.split(/\n {2}(?=-)/).filter((each) => each.startsWith(flag));
        assert.is(/\(default:\s+\d+(ms|s|m|h|d)\)/.test(own), fallback !== undefined, own);
      }
    }
  }
  assert.ok(times.length > 40);
});

test('every option of zksh that is a time takes units', async () => {
  let times = 0;
  for (const [command, option, spec] of await shellOptions()) {
    const isTime = spec.kind === 'duration' || spec.valueName === 'AGE';
    assert.is(
      isTime,
      ['TIME', 'TTL', 'AGE'].includes(spec.valueName ?? ''),
      `${command} --${option}`,
    );
    if (!isTime) continue;
    times++;
    for (const [at, text] of TIMES.entries()) {
      const token = {
        text,
        bytes: Buffer.from(text),
        isText: true,
        isQuoted: false,
        start: 0,
        end: 0,
      };
      const ms = spec.valueName === 'AGE' ? ageOf(text, token) : durationOf(option, spec, token);
      assert.is(ms, [500, 60_000, 300_000, 604_800_000][at], `${command} --${option} ${text}`);
    }
  }
  assert.ok(times > 6);
});

test.run();
