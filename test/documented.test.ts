import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from './support/machine/temp-dir.js';
import { undocumented } from './support/pages/undocumented.js';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

interface Entry {
  readonly import: { readonly types: string };
}

test('every public symbol of the package has a comment', () => {
  const { exports } = JSON.parse(readProjectFile('package.json'));
  const types = (Object.values(exports) as Entry[]).map((each) => each.import.types);
  assert.equal(undocumented(types.map((path) => join(PROJECT_ROOT, path))), []);
});

test('a symbol, a member, and a static member without a comment are found', () => {
  const folder = makeTempDir('undocumented');
  const file = join(folder.path, 'bad.d.ts');
  writeFileSync(
    file,
    `/** Has a comment. */
export declare const good: number;
export declare function bare(): void;
/** A class. */
export declare class Thing {
  private hidden: number;
  static shared: number;
  size: number;
  /** In bytes. */
  length: number;
}
export interface ThingOptions { readonly depth?: number }
`,
  );
  try {
    assert.equal(undocumented([file]), [
      'bare',
      'Thing.size',
      'Thing.shared',
      'ThingOptions.depth',
    ]);
  } finally {
    folder.remove();
  }
});

test.run();
