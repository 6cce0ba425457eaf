import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verb } from '../../../src/commands/zksh/engine/command.js';
import { allCommands } from '../../../src/commands/zksh/running/registry.js';
import { type ManualPart, readManual } from '../../support/pages/manual-page.js';
import { makeShellWorld } from '../../support/terminal/shell-world.js';

const verbs = await allCommands();
const commands = verbs.flatMap((verb) => [verb, ...(verb.subcommands ?? [])]);
const names = new Set(commands.map(({ name }) => name));

/** A synopsis read word by word: `create [-s] [-t TTL] path [data]`. */
function readSynopsis(line: string) {
  const [first = '', second = '', ...others] = line.match(/\[[^\]]*\]|\S+/g) ?? [];
  const isTwo = names.has(`${first} ${second}`);
  const name = isTwo ? `${first} ${second}` : first;
  const words = isTwo || second === '' ? others : [second, ...others];
  const flags = new Map<string, boolean>();
  const args: string[] = [];
  let isBehind = false;
  for (const word of words) {
    const option = /^\[(-[^\s\]]+)( [^\]]+)?\]$/.exec(word);
    if (word === '--') isBehind = true;
    else if (option !== null && option[1] !== '--') {
      flags.set(option[1] ?? '', option[2] !== undefined);
    } else args.push(isBehind ? `-- ${word}` : word);
  }
  return { name, flags, args };
}

/** The same, as a command declares it. */
function declaredSynopsis({ name, options, args, subcommands }: Verb) {
  const flags = new Map<string, boolean>();
  if (subcommands !== undefined) {
    const choices = subcommands.map((command) => command.name.replace(`${name} `, ''));
    return { name, flags, args: [choices.join('|'), '...'] };
  }
  for (const [long, { letter, kind }] of Object.entries(options)) {
    flags.set(letter ? `-${letter}` : `--${long}`, kind !== undefined);
  }
  const words = Object.entries(args).map(([word, spec]) => {
    const text = `${spec.isAfterDashes ? '-- ' : ''}${word}${spec.isVariadic ? '...' : ''}`;
    return spec.isOptional ? `[${text}]` : text;
  });
  return { name, flags, args: words };
}

/** As a sentence of the page, in lower case. */
function ended(meaning: string): string {
  return `${meaning}${meaning.endsWith('?') ? '' : '.'}`.toLowerCase();
}

/** The body of the only term that satisfies `isWanted`. */
function meaningOf(part: ManualPart, what: string, isWanted: (term: string) => boolean): string {
  const found = part.items.filter(({ term }) => isWanted(term));
  assert.is(found.length, 1, `${part.heading}: ${what}`);
  return found[0]?.body.toLowerCase() ?? '';
}

test('the page has a part for each command, with its whole declaration', async () => {
  const page = readManual('zksh.1');
  assert.ok(commands.length > 80);
  for (const command of commands) {
    const { name, summary, description = '', aliases = [] } = command;
    const parts = page.filter(({ heading }) => readSynopsis(heading).name === name);
    assert.is(parts.length, 1, name);
    const part = parts[0] as ManualPart;
    assert.equal(readSynopsis(part.heading), declaredSynopsis(command), name);
    const text = [part.text, ...part.items.map(({ body }) => body)].join('\n').toLowerCase();
    for (const told of [summary, description, ...aliases]) {
      assert.ok(text.includes(told.toLowerCase()), `${name}: ${told}`);
    }
    if (command.subcommands !== undefined) continue;
    for (const [long, { letter, kind, summary: meaning }] of Object.entries(command.options)) {
      const flags = letter ? [`-${letter}`, `--${long}`] : [`--${long}`];
      const told = meaningOf(part, `--${long}`, (term) => {
        const words = term.split(/,? /);
        const own = words.filter((word) => word.startsWith('-'));
        return own.join() === flags.join() && words.length - own.length === (kind ? 1 : 0);
      });
      assert.is(told, ended(meaning), `${name} --${long}`);
    }
    for (const [word, { summary: meaning }] of Object.entries(command.args)) {
      const told = meaningOf(part, word, (term) => term === word);
      assert.is(told, ended(meaning), `${name} ${word}`);
    }
    for (const { line, summary: meaning } of command.examples) {
      const told = meaningOf(part, line, (term) => term === line);
      assert.is(told, ended(meaning), `${name}: ${line}`);
    }
  }
});

test('help has a row for each command', async () => {
  const help = await makeShellWorld().run('help');
  // A synopsis continues after six spaces, and a summary after 36 columns.
  const rows = help.split(/\n+ {2}(?=\S)|\n\n/).map((row) => {
    const [usage = '', ...summary] = row.split(/(?<=\S)(?:\n {36}| {2,})(?=\S)/);
    return ['', usage.replaceAll('\n      ', ' '), summary.join(' ')];
  });
  for (const command of verbs) {
    const found = rows.filter(([, usage = '']) => readSynopsis(usage).name === command.name);
    assert.is(found.length, 1, command.name);
    assert.equal(readSynopsis(found[0]?.[1] ?? ''), declaredSynopsis(command));
    assert.is(found[0]?.[2], command.summary);
  }
});

test.run();
