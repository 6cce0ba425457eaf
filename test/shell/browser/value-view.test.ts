import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextForm, type ValueForm, viewOf } from '../../../src/shell/browser/value-view.js';

function lines(data: Buffer | string | null, form?: ValueForm): readonly string[] {
  const view = viewOf(typeof data === 'string' ? Buffer.from(data) : data, form, 8);
  return [view.form, ...Array.from({ length: view.count }, (_, index) => view.line(index))];
}

test('the format of data is detected', () => {
  assert.equal(lines('one\ntwo\n'), ['text', 'one', 'two']);
  assert.equal(lines('{"a":[1]}'), ['json', '{', '  "a": [', '    1', '  ]', '}']);
  assert.equal(lines('{"a":'), ['text', '{"a":']);
  assert.equal(lines('12'), ['text', '12']);
  assert.equal(lines(Buffer.from([0x68, 0, 0xff])), [
    'hex',
    '00000000  68 00 ff                 h..',
  ]);
  assert.equal(lines(null), ['text', '(no data)']);
  assert.equal(lines(''), ['text', '(empty)']);
});

test('or selected', () => {
  assert.equal(lines('hello world', 'hex'), [
    'hex',
    '00000000  68 65 6c 6c 6f 20 77 6f  hello wo',
    '00000008  72 6c 64                 rld',
  ]);
  assert.equal(lines('no', 'json'), ['json', '(not JSON)', 'no']);
  assert.equal(lines('{"a":1}', 'text'), ['text', '{"a":1}']);
  assert.equal(
    ['text', 'json', 'hex'].map((form) => nextForm(form as ValueForm)),
    ['json', 'hex', 'text'],
  );
});

test('the view formats a megabyte of bytes one line at a time', () => {
  const view = viewOf(Buffer.alloc(1024 * 1024, 0xfe), undefined, 16);
  assert.is(view.count, 65_536);
  assert.match(view.line(65_535), /^000ffff0 {2}fe fe/);
});

test.run();
