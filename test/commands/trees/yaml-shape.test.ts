import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { yamlSyntax } from '../../../src/commands/trees/yaml-dump.js';
import { checkShape } from '../../../src/commands/trees/yaml-shape.js';

test('what a person writes is read', () => {
  const parsed = (text: string) => {
    checkShape(text);
    const line = yamlSyntax.parse(text);
    return line.kind === 'record' ? String(line.record.data) : line.kind;
  };
  const head = '---\npath: /a\nmode: persistent\nversion: 0\nmtime: 0\n';
  assert.is(parsed(`${head}data: plain text # a comment\n`), 'plain text');
  assert.is(parsed(`${head}data: over\n  two lines\n`), 'over two lines');
  assert.is(parsed(`${head}data:\n  on the next line\n`), 'on the next line');
  assert.is(
    parsed(`${head}data: "a \\"quote\\" \\x41 \\u00e9" # and a comment\n`),
    'a "quote" A é',
  );
  assert.is(parsed(`${head}data: 'it''s: [one] - {value}'\n`), "it's: [one] - {value}");
  assert.is(parsed(`${head}# a comment\ndata: |\n  a: 1\n  - b\n\n  [c\n`), 'a: 1\n- b\n\n[c\n');
  assert.is(parsed(`${head}data: >-\n  folded\n  text\n...\n`), 'folded text');
  assert.is(parsed(`${head}"data": http://host:1/x\n`), 'http://host:1/x');
});

const MANY = 60_000;
/** The library would need the square of their length, or an error object for each character. */
const HOSTILE: Readonly<Record<string, string>> = {
  'many fields': Array.from({ length: MANY }, (_, at) => `k${at}: 1`).join('\n'),
  'many fields in a field': `data:\n${' k: 1\n'.repeat(MANY)}`,
  'open brackets': '['.repeat(MANY),
  'open brackets in a field': `data: ${'[{'.repeat(MANY)}`,
  'brackets on the next line': `data: # comment\n  # more\n  ${'['.repeat(MANY)}`,
  'nested lists': `data:\n  ${'- '.repeat(MANY)}`,
  'explicit keys': '? '.repeat(MANY),
  'a list at the start': '- x\n'.repeat(MANY),
  'lines without a name': `data: 1\n${'x\n'.repeat(MANY)}`,
  anchors: `data: ${'&a '.repeat(MANY)}`,
  tags: `data: ${'!!str '.repeat(MANY)}x`,
  'an alias': 'data: *a',
  'open quotes': `data: ${'"'.repeat(MANY)}`,
  'quotes after quotes': `data: "a"${' "b"'.repeat(MANY)}`,
  'blanks after the comment after a quote': `data: "a" #${' '.repeat(1_000_000)}\n x`,
  'an open single quote': `data: '${"''".repeat(MANY)}`,
  'wrong escapes': `data: "${'\\q'.repeat(MANY)}"`,
  'pairs in plain text': `data: ${'a: '.repeat(MANY)}`,
  'a map on the marker': `--- ${'a: '.repeat(MANY)}`,
};

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`${name}: refused before the library reads it`, () => {
    assert.throws(
      () => yamlSyntax.parse(text.startsWith('---') ? text : `---\n${text}`),
      (error: unknown) => error instanceof RangeError && !error.message.startsWith('not YAML'),
    );
  });
}

test.run();
