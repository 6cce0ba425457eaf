import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MEMBER_FORMATS } from '../../../src/commands/program/output-format.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../../src/commands/zkops/index.js';
import { WORDS } from '../../../src/fourlw/index.js';
import { type ManualItem, partOf, readManual } from '../../support/pages/manual-page.js';

const PAGE = readManual('zkops.1');
const OPTIONS = partOf(PAGE, 'OPTIONS').items;

interface HelpOption {
  readonly letter: string | undefined;
  readonly name: string;
  readonly hasValue: boolean;
}

async function optionsOf(verb: string): Promise<readonly HelpOption[]> {
  let out = '';
  await main([verb, '--help'], {
    ask: () => Promise.reject(new Error('not asked')),
    now: () => new Date(0),
    terminal: { width: 80, isColor: false },
    writeOut: (text) => {
      out += text;
    },
    writeError: () => undefined,
    render: () => '',
  });
  const rows = [...out.matchAll(/^ +(?:-(\w), )?--([a-z-]+)( [A-Z])?/gm)];
  assert.ok(rows.length > 10, `${verb} --help lists its options`);
  return rows
    .map(([, letter, name = '', value]) => ({ letter, name, hasValue: value !== undefined }))
    .filter(({ name }) => name !== 'help');
}

/** The names in the terms of a part, as in `Cm conf , Cm envi` or `json , Cm ndjson`. */
function namesIn(heading: string): readonly string[] {
  return partOf(PAGE, heading).items.flatMap(({ term }) => pieces(term).map(nameOf));
}

function pieces(term: string): readonly string[] {
  return term.split(' , ');
}

function nameOf(piece: string): string {
  return piece.replace(/^Cm /, '').replace(/ (Ar|Op) .*$/, '');
}

function hasFlag(text: string, name: string): boolean {
  return new RegExp(`(^|[ .])Fl -${name}( |$)`, 'm').test(text);
}

function itemOf(name: string): ManualItem | undefined {
  return OPTIONS.find(({ term }) => hasFlag(term, name));
}

test('the manual page has every word and verb in its part, and no other', () => {
  const words = VERBS.map(({ name }) => name).filter((name) => Object.hasOwn(WORDS, name));
  assert.equal([...namesIn('Words')].sort(), words.sort());
  const verbs = VERBS.map(({ name }) => name).filter((name) => !Object.hasOwn(WORDS, name));
  assert.equal([...namesIn('Verbs')].sort(), verbs.sort());
  assert.equal([...namesIn('OUTPUT')].sort(), [...MEMBER_FORMATS].sort());
});

test('every option of every verb is a complete term under OPTIONS, with its letter and value', async () => {
  const takers = new Map<string, string[]>();
  for (const { name: verb } of VERBS) {
    for (const { letter, name, hasValue } of await optionsOf(verb)) {
      takers.set(name, [...(takers.get(name) ?? []), verb]);
      const term = itemOf(name)?.term;
      if (term === undefined) throw new Error(`${verb} --${name} is missing under OPTIONS`);
      const own = pieces(term).find((piece) => hasFlag(piece, name)) ?? '';
      assert.is(/ Ar /.test(own), hasValue, `${verb} --${name}: does it take a value?`);
      assert.is(/^Fl (\w) , /.exec(term)?.[1], letter, `${verb} --${name}: its letter`);
    }
  }
  // An item that names the verbs of an option names exactly those that take it.
  for (const [name, verbs] of takers) {
    const named = /(?:^|\n)For\n((?:\.Cm .*\n?|and\n)+)/.exec(itemOf(name)?.body ?? '')?.[1];
    if (named === undefined) continue;
    const found = [...named.replaceAll('.Cm', '').matchAll(/[a-z]+/g)].map(([word]) => word);
    assert.equal(found.filter((word) => word !== 'and').sort(), verbs.sort(), `--${name} is for`);
  }
});

test('every option of a task is described with the task, or with all tasks of its part', async () => {
  const named: string[] = [];
  const missing: string[] = [];
  for (const entry of TASKS) {
    for (const task of await entry.load()) {
      const name = task.name === entry.name ? entry.name : `${entry.name} ${task.name}`;
      named.push(name);
      const part = partOf(PAGE, task.hasMembers ? 'Probes' : 'Files');
      const item = part.items.find(({ term }) => nameOf(term) === name);
      if (item === undefined) throw new Error(`${name} is missing under ${part.heading}`);
      const told = `${item.body}\n${part.text}`;
      const untold = Object.keys(task.options).filter((option) => !hasFlag(told, option));
      missing.push(...untold.map((option) => `${name} --${option}`));
    }
  }
  assert.equal(missing, []);
  assert.equal([...namesIn('Probes'), ...namesIn('Files')].sort(), named.sort());
});

test('the manual page names no unknown option', async () => {
  const known = new Set(['help', 'version']);
  for (const { name: verb } of VERBS) {
    for (const { name } of await optionsOf(verb)) known.add(name);
  }
  for (const entry of TASKS) {
    for (const task of await entry.load()) {
      for (const option of Object.keys(task.options)) known.add(option);
    }
  }
  const page = PAGE.map(({ text, items }) => [text, ...items.map((i) => `${i.term}\n${i.body}`)]);
  const flags = page.flat().flatMap((text) => [...text.matchAll(/(?<=^|[ .])Fl -(\S+)/gm)]);
  assert.ok(flags.length > 100, 'the page is read');
  for (const [, name = ''] of flags) assert.ok(known.has(name), `--${name}`);
});

test('every four-letter word is a verb', () => {
  const names = VERBS.map(({ name }) => name);
  for (const word of Object.keys(WORDS)) assert.ok(names.includes(word), word);
});

test('the manual page names every state of a row and every exit status', () => {
  const states =
    'serving answered read-only not-serving refused timeout dns reset unreachable tls empty ' +
    'not-whitelisted unreadable too-large too-costly';
  assert.equal(namesIn('States of a member'), states.split(' '));
  assert.equal([...namesIn('EXIT STATUS')].sort(), ['0', '1', '130', '2', '3', '64', '65']);
});

test.run();
