/** A hook of Node's module loader, in its thread, that instruments the tested code. */
import type { LoadHook } from 'node:module';
import { instrument } from './instrument.js';

const TESTED = '/dist/src/';

let blocks = 0;

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (loaded.format !== 'module' || !url.includes(TESTED)) return loaded;
  return { ...loaded, source: instrument(String(loaded.source), () => blocks++) };
};
