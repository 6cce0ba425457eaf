import { test } from 'uvu';
import { loadNative } from '../../../src/client/native/native-binding.js';

/** Whether the optional npm package is installed and built for this platform. */
export const hasNative: boolean = await loadNative().then(
  () => true,
  (error: Error) => {
    console.log(`skipped: tests of the native client: ${error.message}`);
    return false;
  },
);

/** Registers a test of the native client. Without the package, it counts as skipped. */
export const nativeTest = hasNative ? test : test.skip;
