import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder for one test, and how to be rid of it. */
export function makeTempDir(label = 'test'): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `zksh-${label}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
