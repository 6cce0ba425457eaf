import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSource, type SourceFile } from './source-file.js';
import { findUnusedExports } from './unused-exports.js';

function unusedIn(text: string, others: readonly SourceFile[] = []): string[] {
  const src = [
    parseSource('src/a.ts', text),
    parseSource('src/b.ts', "import { used } from './a.js';\nused();"),
    parseSource('src/stranger.ts', 'elsewhere();'),
  ];
  return findUnusedExports(src, others, ['src/index.ts']);
}

const TEST = parseSource('test/a.test.ts', "import { tested, Tested } from '../src/a.js';");

for (const [text, complaint] of [
  ['export function used(): void {}', undefined],
  ['export function tested(): void {}', 'nobody in src uses tested'],
  ['export async function tested() {}', 'nobody in src uses tested'],
  ['export class Tested {}', 'nobody in src uses Tested'],
  ['export const tested = 1;\nconst x = tested;', undefined],
  ["export const tested = 1;\nconst x = 'tested';", 'nobody in src uses tested'],
  [
    'export const Tested = record();\nexport type Tested = TypeOf<typeof Tested>;',
    'nobody in src uses Tested',
  ],
  ['export const own = 1;\nconst x = own;', 'nobody imports own: remove its export'],
  ['export function elsewhere(): void {}', 'nobody in src uses elsewhere'],
  ['const own = 1;', undefined],
] as const) {
  test(`${text} is ${complaint === undefined ? 'used' : 'unused'}`, () => {
    const expected = complaint === undefined ? [] : [`src/a.ts:1: ${complaint}`];
    assert.equal(unusedIn(text, [TEST]), expected);
  });
}

test('a registry may export what only applications use', () => {
  const registry = parseSource('src/index.ts', 'export const public = 1;');
  assert.equal(findUnusedExports([registry], [], ['src/index.ts']), []);
});

test('a component counts as used by the file that imports it', () => {
  const view = parseSource('src/view.tsx', 'export function View() {}');
  const screen = parseSource('src/screen.tsx', "import { View } from './view.js';\nView();");
  assert.equal(findUnusedExports([view, screen], [], []), []);
});

test.run();
