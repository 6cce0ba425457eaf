import { loadNative } from '../../src/client/native-binding.js';

/** Is the optional npm package here, built for this platform? */
export const hasNative: boolean = await loadNative().then(
  () => true,
  (error: Error) => {
    console.log(`skipped: tests of the native client: ${error.message}`);
    return false;
  },
);
