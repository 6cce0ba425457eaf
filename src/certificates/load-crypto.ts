import { createRequire } from 'node:module';

/** Takes milliseconds, so only what needs it loads it. */
export function loadCrypto(): typeof import('node:crypto') {
  return createRequire(import.meta.url)('node:crypto');
}
