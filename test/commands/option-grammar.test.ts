/** One grammar for the options of all three programs. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallOption } from '../../src/commands/program/command-line.js';
import { taskOptions, verbOptions } from '../../src/commands/zkops/calls/options.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import type { Command, OptionSpec } from '../../src/commands/zksh/engine/command.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { ZKSH } from '../../src/commands/zksh/zksh-declaration.js';
import { callTask } from './zkops/call-task.js';

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

test('lists have --limit, and --count still works', async () => {
  for (const words of [['clients'], ['watches'], ['snap', 'top', 'file']]) {
    const help = await callTask([...words, '--help']);
    assert.match(help.out, '--limit <n>');
    assert.not.match(help.out, '--count');
    const wrong = await callTask([...words, '--count', 'x']);
    assert.match(wrong.error, "option '--count <n>' argument 'x' is invalid");
  }
});

test.run();
