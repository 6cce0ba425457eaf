import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAllowed, KNOWN_WORDS, parseWhitelist } from '../../src/fourlw/base/whitelist.js';
import {
  answerWord,
  kindOfAnswer,
  loadingOf,
  WORDS,
  type WordName,
  wordOf,
} from '../../src/fourlw/index.js';
import { makeView } from './captured-view.js';

const answerOf = (...args: Parameters<typeof answerWord>): string =>
  [...answerWord(...args)].join('');
const code = (word: string) => Buffer.from(word, 'latin1').readInt32BE(0);

test('every word is found by its four bytes, case-sensitive', () => {
  for (const word of Object.values(WORDS)) assert.is(wordOf(code(word.word)), word);
  assert.is(wordOf(code('RUOK')), undefined);
  assert.is(wordOf(code('kill')), undefined);
  assert.is(wordOf(45), undefined);
  assert.is(wordOf(-0x0b0003)?.word, 'telnet close');
  assert.is(wordOf(0xfff4fffd)?.word, 'telnet close');
});

test('the registry and the whitelist know the same words', () => {
  const keeper = ['apiv', 'ftfl', 'lgif'];
  const all = [...Object.keys(WORDS), ...keeper, 'telnet close'];
  assert.equal(all.sort(), [...KNOWN_WORDS].sort());
});

test('the whitelist always holds srvr, and isro in read-only mode', () => {
  const cases: readonly (readonly [string | undefined, boolean, string])[] = [
    [undefined, false, 'srvr'],
    [undefined, true, 'isro,srvr'],
    ['', false, 'srvr'],
    ['ruok', false, 'ruok,srvr'],
    [' ruok , mntr,', false, 'mntr,ruok,srvr'],
  ];
  for (const [text, isReadOnlyModeEnabled, expected] of cases) {
    const words = [...parseWhitelist(text, isReadOnlyModeEnabled)].sort().join(',');
    assert.is(words, expected);
  }
  const all = parseWhitelist('*', false);
  assert.ok(KNOWN_WORDS.every((word) => isAllowed(word, all)));
});

test('a word that is not listed is refused before anything else is looked at', () => {
  const view = makeView({ isServing: false });
  const only = parseWhitelist(undefined, false);
  assert.is(
    answerOf(view, WORDS.ruok, only),
    'ruok is not executed because it is not in the whitelist.\n',
  );
  const telnet = wordOf(0xfff4fffd);
  assert.ok(telnet);
  assert.is(
    answerOf(view, telnet, only),
    'telnet close is not executed because it is not in the whitelist.\n',
  );
});

test('a server that does not serve says so, word by word as Apache does', () => {
  const view = makeView({ isServing: false });
  const all = parseWhitelist('*', false);
  const refusal = 'This ZooKeeper instance is not currently serving requests';
  const expected: Partial<Record<WordName, string>> = {
    ruok: 'imok',
    gtmk: '306',
    stmk: '',
    isro: 'null',
    hash: refusal,
  };
  for (const [name, word] of Object.entries(WORDS)) {
    if (name === 'envi') continue;
    const answer = answerOf(view, word, all);
    assert.is(answer, expected[name as WordName] ?? `${refusal}\n`, name);
  }
  assert.ok(answerOf(view, WORDS.envi, all).startsWith('Environment:\n'));
});

test('refusals are distinguished from answers', () => {
  assert.is(
    kindOfAnswer('mntr', 'mntr is not executed because it is not in the whitelist.\n'),
    'not-whitelisted',
  );
  assert.is(
    kindOfAnswer('srvr', 'This ZooKeeper instance is not currently serving requests\n'),
    'not-serving',
  );
  assert.is(kindOfAnswer('srvr', 'This instance is not currently serving requests'), 'not-serving');
  const loading = 'This ZooKeeper instance is not currently serving requests\nLoading: 43 %\n';
  assert.is(kindOfAnswer('srvr', loading), 'not-serving');
  assert.is(loadingOf(loading), '43 %');
  assert.is(loadingOf('Loading: 43 %, and more'), undefined);
  assert.is(kindOfAnswer('isro', 'null'), 'not-serving');
  assert.is(kindOfAnswer('ruok', 'imok'), 'answer');
});

test.run();
