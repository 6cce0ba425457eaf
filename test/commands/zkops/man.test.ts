import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OUTPUT_FORMATS } from '../../../src/commands/zkops/calls/options.js';
import { main } from '../../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../../src/commands/zkops/index.js';
import { WORDS } from '../../../src/fourlw/index.js';
import { repositoryRoot } from '../../fourlw/captured-view.js';

const MAN = readFileSync(`${repositoryRoot()}/man/zkops.1`, 'utf8').replaceAll('\\-', '-');

async function helpOf(verb: string): Promise<string> {
  let out = '';
  await main([verb, '--help'], {
    ask: () => Promise.reject(new Error('not asked')),
    now: () => new Date(0),
    terminal: { width: 80, isColour: false },
    writeOut: (text) => {
      out += text;
    },
    writeError: () => undefined,
    render: () => '',
  });
  return out;
}

test('the man page names every word, verb, format and option', async () => {
  for (const { name } of VERBS) {
    assert.match(MAN, new RegExp(`^\\.It Cm (.* )?${name}\\b`, 'm'), name);
    for (const [option] of (await helpOf(name)).matchAll(/--[a-z]+/g)) {
      assert.ok(option === '--help' || MAN.includes(option.slice(1)), `${name} ${option}`);
    }
  }
  for (const format of OUTPUT_FORMATS) assert.match(MAN, new RegExp(`\\.It Cm .*${format}\\b`));
});

test('the man page names every task and its options', async () => {
  for (const entry of TASKS) {
    for (const task of await entry.load()) {
      const name = task.name === entry.name ? entry.name : `${entry.name} ${task.name}`;
      assert.match(MAN, new RegExp(`^\\.It Cm ${name}\\b`, 'm'), name);
      for (const option of task.options) {
        const [flag = ''] = /-[a-z-]+/.exec(option[0].slice(1)) ?? [];
        assert.ok(flag !== '' && MAN.includes(flag), `${name} -${flag}`);
      }
    }
  }
});

test('every four-letter word can be asked', () => {
  const names = VERBS.map(({ name }) => name);
  for (const word of Object.keys(WORDS)) assert.ok(names.includes(word), word);
});

test('the man page names every state of a row and every exit code', () => {
  const states =
    'serving answered read-only not-serving refused timeout dns reset unreachable tls empty ' +
    'not-whitelisted unreadable too-large too-costly';
  for (const state of states.split(' ')) {
    assert.match(MAN, new RegExp(`^\\.It (.* , )?${state}( ,|$)`, 'm'), state);
  }
  for (const code of [0, 1, 2, 3, 64, 65]) assert.match(MAN, new RegExp(`^\\.It ${code}$`, 'm'));
});

test.run();
