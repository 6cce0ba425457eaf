// Makes the declarations in dist/src fit TypeScript 5.0 and later, where the compiler writes what
// only newer versions read.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The inferred types of bytes. Before 5.7 and its types of Node.js, they took no argument. */
const BYTES = /\b(Buffer|Uint8Array)<ArrayBuffer(Like)?>/g;

/** @param folder changed in place; the compiler writes a file again only if its source changes */
export function rewriteDeclarations(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  for (const name of names) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    const changed = text.replace(BYTES, '$1');
    if (changed !== text) writeFileSync(file, changed);
  }
}
