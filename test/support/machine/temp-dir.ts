import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder for one test, with a function that removes it. */
export function makeTempDir(label = 'test'): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `zksh-${label}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
