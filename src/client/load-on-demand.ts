import { createRequire } from 'node:module';

/**
 * Modules of Node.js that take milliseconds to load, which no one waits for who does not need them:
 * a whole `zksh -c 'get /a'` takes some twenty above the start of Node.js itself.
 */
export const loadTls = (): typeof import('node:tls') => load('node:tls');
export const loadHttp = (): typeof import('node:http') => load('node:http');
export const loadCrypto = (): typeof import('node:crypto') => load('node:crypto');

function load<T>(name: string): T {
  return createRequire(import.meta.url)(name);
}
