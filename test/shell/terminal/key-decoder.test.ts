import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Key, KeyDecoder } from '../../../src/shell/terminal/key-decoder.js';

const key = (name: string): Key => ({ type: 'key', name });
const text = (typed: string): Key => ({ type: 'text', text: typed });
const paste = (pasted: string): Key => ({ type: 'paste', text: pasted });

const CASES: readonly (readonly [input: string, keys: readonly Key[]])[] = [
  ['a', [text('a')]],
  ['é漢😀', [text('é漢😀')]],
  ['\r', [key('enter')]],
  ['\n', [key('enter')]],
  ['\t', [key('tab')]],
  ['\x7f', [key('backspace')]],
  ['\b', [key('backspace')]],
  ['\x03', [key('ctrl-c')]],
  ['\x04', [key('ctrl-d')]],
  ['\x1b[A', [key('up')]],
  ['\x1bOB', [key('down')]],
  ['\x1b[H', [key('home')]],
  ['\x1b[1~', [key('home')]],
  ['\x1bOF', [key('end')]],
  ['\x1b[3~', [key('delete')]],
  ['\x1b[3;5~', [key('ctrl-delete')]],
  ['\x1b[1;5C', [key('ctrl-right')]],
  ['\x1b[1;3D', [key('alt-left')]],
  ['\x1b[1;6D', [key('ctrl-shift-left')]],
  ['\x1b[Z', [key('shift-tab')]],
  ['\x1bb', [key('alt-b')]],
  ['\x1b\x7f', [key('alt-backspace')]],
  ['\x1b\r', [key('alt-enter')]],
  ['\x1b[200~one\r\ntwo\rthree\x1b[201~', [paste('one\ntwo\nthree')]],
  ['\x1b[200~\x1b[A\x03\x1b[201~', [paste('\x1b[A\x03')]],
  ['\x1b[200~\x1b[201~', [paste('')]],
  // An unknown key is not typed either.
  ['\x1b[<0;1;1M', []],
  ['\x1b[?1;2c', []],
  ['\x1b[[A', []],
  // Answers of a terminal: OSC, DCS, APC, PM, SOS, and their forms of one character.
  ['\x1b]11;rgb:0000/0000/0000\x1b\\', []],
  ['\x1b]0;rm -rf /\x07', []],
  ['\x1bP1$r0m\x1b\\', []],
  ['\x1b_Gi=1;OK\x1b\\', []],
  ['\x1b^private\x1b\\', []],
  ['\x1bXstart\x1b\\', []],
  ['\x9d11;rgb:0/0/0\x9c', []],
  ['\x90q\x9c', []],
  ['\x9b5~', [key('page-up')]],
  // A string that something else ends.
  ['\x1b]0;half\x03', [key('ctrl-c')]],
  ['\x1b]0;half\x1b[A', [key('up')]],
  ['\x1bPhalf\x18', []],
  ['\x1a', [key('ctrl-z')]],
];

test('keys are recognized, whole and byte by byte', () => {
  for (const [input, expected] of CASES) {
    const whole = new KeyDecoder().push(input);
    assert.equal(whole, expected, JSON.stringify(input));
    const decoder = new KeyDecoder();
    const single = [...input].flatMap((char) => decoder.push(char));
    assert.equal(joined(single), expected, `${JSON.stringify(input)} char by char`);
  }
});

test('a chunk of several keys is several keys', () => {
  const all = CASES.map(([input]) => input).join('');
  assert.equal(joined(new KeyDecoder().push(all)), joined(CASES.flatMap(([, keys]) => keys)));
  assert.equal(new KeyDecoder().push('ls /\rq'), [text('ls /'), key('enter'), text('q')]);
});

test('a string without an end is dropped, and keys work again', () => {
  const decoder = new KeyDecoder();
  assert.equal(decoder.push('\x1b]0;half'), []);
  assert.equal([decoder.isInString, decoder.isWaiting], [true, false]);
  assert.equal(decoder.push(' more\r'), []);
  assert.equal(decoder.flush(), []);
  assert.is(decoder.isInString, false);
  assert.equal(decoder.push('ls'), [text('ls')]);
  assert.equal(decoder.push('\x1b]'), []);
  assert.equal(decoder.flush(), [key('alt-]')], 'Alt and a bracket');
});

test('an escape without more bytes is the Escape key', () => {
  const decoder = new KeyDecoder();
  assert.equal(decoder.push('\x1b'), []);
  assert.is(decoder.isWaiting, true);
  assert.equal(decoder.flush(), [key('escape')]);
  assert.is(decoder.isWaiting, false);
  assert.equal(decoder.push('\x1b['), []);
  assert.equal(decoder.flush(), [key('escape'), text('[')]);
  assert.equal(decoder.push('\x1b\x1b'), [key('escape')]);
  assert.equal(decoder.flush(), [key('escape')]);
});

test('a paste waits for its end, however long that takes', () => {
  const decoder = new KeyDecoder();
  assert.equal(decoder.push('\x1b[200~half'), []);
  assert.is(decoder.isWaiting, false);
  assert.equal(decoder.flush(), []);
  assert.equal(decoder.push(' more\x1b[20'), []);
  assert.equal(decoder.push('1~x'), [paste('half more'), text('x')]);
});

/** Joins runs of text that arrived in pieces. */
function joined(keys: readonly Key[]): readonly Key[] {
  const out: Key[] = [];
  for (const next of keys) {
    const last = out.at(-1);
    if (last?.type === 'text' && next.type === 'text')
      out[out.length - 1] = text(last.text + next.text);
    else out.push(next);
  }
  return out;
}

test.run();
