import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeScript,
  lineOf,
  type ScriptItem,
  streamedScript,
  wholeScript,
} from '../../../src/commands/zksh/script-source.js';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** "line: words", or "line: ! message". */
async function read(items: AsyncIterable<ScriptItem>): Promise<string[]> {
  const found: string[] = [];
  for await (const item of items) {
    const { source } = item;
    if (item.kind === 'statement') {
      const words = item.statement.tokens.map(({ text }) => text);
      found.push(`${lineOf(source, item.statement.start)}: ${words.join('|')}`);
    } else {
      found.push(`${lineOf(source, item.fault.start)}: ! ${item.fault.message}`);
    }
  }
  return found;
}

const SCRIPTS: readonly (readonly [script: string, ...items: string[]])[] = [
  [''],
  ['ls /', '1: ls|/'],
  ['ls /\nget /a\n', '1: ls|/', '2: get|/a'],
  ['\n\n# note\nls /; get /a # x\n', '4: ls|/', '4: get|/a'],
  ["set /a 'one\ntwo'\nls /\n", '1: set|/a|one\ntwo', '3: ls|/'],
  ['set /a \\\n  x\nls /', '1: set|/a|x', '3: ls|/'],
  ['set /größe 値😀\n', '1: set|/größe|値😀'],
  ["ls /\nset /a 'open\nls /\n", '1: ls|/', "2: ! unclosed quote: '"],
  ['ls /\nset /a \\q\nls /\n', '1: ls|/', '2: ! invalid escape: \\q', '3: ls|/'],
  [
    'a; set \\q; b\nc\nset \\q\nd',
    '1: a',
    '1: ! invalid escape: \\q',
    '2: c',
    '3: ! invalid escape: \\q',
    '4: d',
  ],
  ['ls \\', '1: ! backslash at the end of input'],
];

for (const [script, ...items] of SCRIPTS) {
  test(`reads ${JSON.stringify(script)} in pieces of any size`, async () => {
    const bytes = Buffer.from(script);
    for (let size = 1; size <= Math.max(1, bytes.length); size++) {
      assert.equal(await read(streamedScript(inPieces(bytes, size), 'stdin')), items, `${size}`);
    }
  });
}

test('a line of a stream runs before the next one arrives', async () => {
  let isAsked = false;
  async function* slowly() {
    yield Buffer.from('ls /\n');
    isAsked = true;
    yield Buffer.from('ls /\n');
  }
  const items = streamedScript(slowly(), 'stdin');
  await items.next();
  assert.is(isAsked, false);
  await items.return(undefined);
});

test('bytes that are not UTF-8 are refused, not replaced', async () => {
  const bytes = Buffer.concat([Buffer.from('ls /\nset /a '), Buffer.of(0xff, 0x0a)]);
  assert.equal(await read(streamedScript(inPieces(bytes, 4), 'stdin')), [
    '1: ls|/',
    '2: ! script is not UTF-8 text',
  ]);
  const cut = Buffer.from('ls /ü').subarray(0, -1);
  assert.equal(await read(streamedScript(inPieces(cut, 99), 'stdin')), [
    '1: ! script is not UTF-8 text',
  ]);
  assert.is(typeof decodeScript(bytes, 'file'), 'object');
  assert.is(decodeScript(Buffer.from('\ufeffls /'), 'file'), 'ls /');
});

test('an error anywhere in a script file prevents all of it', async () => {
  assert.equal(await read(wholeScript(["ls /\nget /a\nset 'x"], 'file')), [
    "3: ! unclosed quote: '",
  ]);
  assert.equal(await read(wholeScript(['ls /', "get 'x"], undefined)), ["1: ! unclosed quote: '"]);
  assert.equal(await read(wholeScript(['ls /', 'get /a'], undefined)), ['1: ls|/', '1: get|/a']);
});

test.run();
