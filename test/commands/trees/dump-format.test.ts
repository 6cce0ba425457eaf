import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatParts, guessFormat } from '../../../src/commands/trees/dump-format.js';
import { MAX_PIECE_LENGTH } from '../../../src/commands/trees/dump-syntax.js';
import {
  endFields,
  headFields,
  recordFields,
  type ZnodeRecord,
} from '../../../src/commands/trees/znode-record.js';
import { parseAcl } from '../../../src/commands/znodes/parse-acl.js';
import { Random } from '../../support/random.js';

const CHARS = [
  ...['\n', '\n\n', ' ', '  ', '\t', '\r\n', '---', '...', '"', "'", '\\', '#', ': ', '- ', '&'],
  ...['!', '%', '{', '}', '[', ']', ',', '|', '>', '*', '?', '@', '`', '0', 'null', 'x', 'é', '値'],
  ...['\u0000', '\u001b', '\u007f', '\u0085', '\u00a0', '\u2028', '\u2029', '\ufeff', '\ufffd'],
  ...['\u{1F600}', '\u{10FFFF}'],
];

function records(): readonly ZnodeRecord[] {
  const random = new Random(11);
  const modes = ['persistent', 'container', 'ephemeral'] as const;
  return Array.from({ length: 400 }, (_, index) => {
    let text = '';
    for (let length = random.below(9); length > 0; length--) {
      text += CHARS[random.below(CHARS.length)] ?? '';
    }
    const data = index % 7 === 0 ? Buffer.from([0xff, index & 0xff, 0xfe]) : Buffer.from(text);
    return {
      path: `/n${String(index).padStart(4, '0')}`,
      data: index % 11 === 0 ? null : data,
      acl: index % 3 === 0 ? parseAcl('world:anyone:r,digest:ann:x=:cdrwa') : undefined,
      ...(index % 13 === 0
        ? { mode: 'ttl', ttl: index + 1 }
        : { mode: modes[index % 3] ?? 'ephemeral' }),
      version: index,
      mtime: 1,
    };
  });
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

for (const format of ['ndjson', 'json', 'yaml'] as const) {
  test(`${format} is read back unchanged, in chunks of any size`, async () => {
    const { text, syntax } = await formatParts(format);
    const all = records();
    const head = headFields({ root: '/a', server: 'x', hasAcls: true }, 'now');
    const end = endFields({ znodes: all.length, ephemeralsLeftOut: 1, unread: 0 });
    const parts = [
      text.head(head),
      ...all.map((record, index) => text.record(recordFields(record), index === 0)),
      text.end(end),
    ];
    const bytes = Buffer.from(parts.map((part) => `${part}\n`).join(''));
    assert.is(guessFormat(bytes.toString('utf8', 0, 4096)), format);
    for (const size of [1, 7, 4096, bytes.length]) {
      const pieces = [];
      for await (const piece of syntax.split(cut(bytes, size), MAX_PIECE_LENGTH))
        pieces.push(piece);
      assert.ok(pieces.every(({ isWhole }) => isWhole));
      const [first, ...lines] = pieces.map((piece) => syntax.parse(piece.text));
      const last = lines.pop();
      assert.is(first?.kind === 'head' && first.head.root, '/a');
      assert.is(last?.kind === 'end' && last.end.znodes, all.length);
      assert.equal(
        lines.map((line) => (line.kind === 'record' ? line.record : undefined)),
        all,
      );
      // A dump cut at the end of a piece is valid but incomplete.
      const { end: at = 0, number = 0 } = pieces[200] ?? {};
      const rest = [];
      for await (const piece of syntax.split(cut(bytes.subarray(0, at), 4096), MAX_PIECE_LENGTH))
        rest.push(piece);
      assert.is(rest.filter(({ isWhole }) => isWhole).length, format === 'yaml' ? 200 : 201);
      assert.is(bytes.toString('utf8', 0, at).split('\n').length >= number, true);
    }
    const tail = bytes.toString('utf8', bytes.length - 2000);
    assert.is(syntax.parseEnd(tail)?.kind, 'end');
    // An end that begins has all znodes before it.
    for (
      let length = format === 'yaml' ? tail.length - tail.lastIndexOf('end:') : 2;
      length < 90;
      length++
    ) {
      assert.is(syntax.parseEnd(tail.slice(0, -length)), undefined, String(length));
    }
  });
}

test.run();
