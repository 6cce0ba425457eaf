/**
 * What each command begins with: it runs the bundle beside it, so zksh.cjs runs zksh-main.cjs, with
 * the code that was compiled when the package was built. Under another version of Node.js than
 * then, V8 compiles anew; from 22.1 on, Node.js keeps that for the next time.
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

/** Node maps only lines of what its own loader read: who asked for that gets no compiled code. */
function readCodeCache(): Buffer | undefined {
  if (process.sourceMapsEnabled) return undefined;
  try {
    return readFileSync(codeCacheFile(bundle));
  } catch {
    return undefined;
  }
}
