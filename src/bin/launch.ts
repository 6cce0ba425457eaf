/**
 * The start of each command: zksh.cjs runs zksh-main.cjs with the code cache that was built with
 * the package. Under another version of Node.js, V8 compiles it; from 22.1 on, Node.js keeps the
 * result for the next start.
 */
import { readFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { codeCacheFile, compileBundle } from './compiled-bundle.js';

const bundle = import.meta.filename.replace(/\.cjs$/, '-main.cjs');
const codeCache = readCodeCache();
if (codeCache === undefined) {
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function') {
    nodeModule.enableCompileCache();
  }
  createRequire(bundle)(bundle);
} else {
  compileBundle(bundle, readFileSync(bundle, 'latin1'), codeCache).run();
}

/** Source maps work only for code that Node.js itself loaded: no code cache then. */
function readCodeCache(): Buffer | undefined {
  if (process.sourceMapsEnabled) return undefined;
  try {
    return readFileSync(codeCacheFile(bundle));
  } catch {
    return undefined;
  }
}
