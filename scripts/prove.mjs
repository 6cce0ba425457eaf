// Runs a long proof of test/PROOFS.md by its name:
//
//   npm run prove -- sim --seeds 100
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PROOFS = [
  'faults',
  'fuzz',
  'guides',
  'history',
  'model',
  'mutants',
  'sim',
  'soak',
  'strangers',
];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [name = '', ...args] = process.argv.slice(2);
if (!PROOFS.includes(name)) {
  console.error(`prove: unknown proof: ${name} (expected one of ${PROOFS.join(', ')})`);
  process.exit(64);
}
const main = join(root, 'dist', 'test', name, 'main.js');
process.argv = [process.argv[0], main, ...args];
await import(pathToFileURL(main).href);
