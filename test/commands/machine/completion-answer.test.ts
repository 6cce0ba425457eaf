import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  answerCompletion,
  inList,
  renderAnswer,
} from '../../../src/commands/machine/completion-answer.js';

test('a candidate is one line with its description, then come the directives', () => {
  const candidates = [{ value: '/my node', about: 'a znode' }, { value: '/größe' }];
  const text = renderAnswer({ candidates, files: 'folders', isOpen: true });
  assert.is(text, '/my node\ta znode\n/größe\n:folders\n:nospace\n');
});

test('names that could forge a line, a directive, or another name are left out', () => {
  const names = ['/a\nb', '/a\tb', '/a\u2028b', '/\u202egnp', ':files', '/a\u0007', '', '/good'];
  assert.is(renderAnswer({ candidates: names.map((value) => ({ value })) }), '/good\n');
  assert.is(renderAnswer({ candidates: [{ value: 'x', about: 'two\nlines' }] }), 'x\n');
});

test('at most 300 candidates are printed', () => {
  const candidates = Array.from({ length: 1000 }, (_, n) => ({ value: `/${n}` }));
  assert.is(renderAnswer({ candidates }).split('\n').length, 301);
});

test('a list completes its last entry, without the entries before', () => {
  const { candidates } = inList([{ value: 'zk1' }, { value: 'zk2' }], 'zk1,');
  assert.equal(
    candidates.map(({ value }) => value),
    ['zk1,zk2'],
  );
});

test('an error or an endless lookup gives no candidates', async () => {
  const failed = await answerCompletion(['--', 'ls', '/'], () => Promise.reject(new Error('no')));
  assert.is(failed, '');
  const endless = await answerCompletion(['--', ''], () => new Promise(() => undefined));
  assert.is(endless, '');
});

test.run();
