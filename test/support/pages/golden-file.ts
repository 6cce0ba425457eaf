import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { PROJECT_ROOT } from '../tidy/source-file.js';

/** Compares a text with `test/golden/<name>`, or writes the file if UPDATE_GOLDEN=1. */
export function expectGolden(name: string, text: string): void {
  const file = join(PROJECT_ROOT, 'test', 'golden', name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  assert.fixture(text, readFileSync(file, 'utf8'), name);
}
