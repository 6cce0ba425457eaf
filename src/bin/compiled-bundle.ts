import nodeModule, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

/** A bundle of CommonJS, compiled: from V8's code cache where it fits, otherwise from the text. */
export interface CompiledBundle {
  readonly isFromCache: boolean;
  /** With what has been compiled so far; V8 compiles a function when it is first called. */
  codeCache(): Buffer;
  run(): void;
}

/** Where the code lies that this V8 compiled for this kind of processor. */
export function codeCacheFile(bundle: string): string {
  return `${bundle}.${process.versions.v8}-${process.arch}`;
}

/** V8 itself refuses a code cache that another version made, or from a text of another length. */
export function compileBundle(bundle: string, text: string, codeCache?: Buffer): CompiledBundle {
  const script = new Script(nodeModule.wrap(text), {
    filename: bundle,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(codeCache === undefined ? {} : { cachedData: codeCache }),
  });
  return {
    isFromCache: script.cachedDataRejected === false,
    codeCache: () => script.createCachedData(),
    run: () => {
      const module = { exports: {} };
      const start = script.runInThisContext();
      start(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
    },
  };
}
