import nodeModule, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

/** A compiled CommonJS bundle: from V8's code cache if it matches, otherwise from the text. */
export interface CompiledBundle {
  readonly isFromCache: boolean;
  /** Contains the functions compiled so far; V8 compiles a function at its first call. */
  codeCache(): Buffer;
  run(): void;
}

/** The code cache of a bundle for this version of V8 and this processor architecture. */
export function codeCacheFile(bundle: string): string {
  return `${bundle}.${process.versions.v8}-${process.arch}`;
}

/** V8 rejects a code cache of another version, or of a text of another length. */
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
