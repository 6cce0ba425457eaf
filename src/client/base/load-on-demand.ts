import { createRequire } from 'node:module';

/**
 * Modules of Node.js that take milliseconds to load. Only calls that need them load them, because a
 * whole `zksh -c 'get /a'` takes only about 20 ms more than the start of Node.js.
 */
export const loadTls = (): typeof import('node:tls') => load('node:tls');
export const loadHttp = (): typeof import('node:http') => load('node:http');
export const loadCrypto = (): typeof import('node:crypto') => load('node:crypto');

function load<T>(name: string): T {
  return createRequire(import.meta.url)(name);
}
