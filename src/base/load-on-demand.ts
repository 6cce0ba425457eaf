/**
 * Modules of Node.js that take milliseconds to load. Only calls that need them load them, because a
 * whole `zksh -c 'get /a'` takes only about 20 ms more than the start of Node.js. A bundler need
 * not know them.
 */
export const loadTls = () => process.getBuiltinModule('node:tls');
export const loadHttp = () => process.getBuiltinModule('node:http');
export const loadCrypto = () => process.getBuiltinModule('node:crypto');
export const loadDns = () => process.getBuiltinModule('node:dns');
export const loadZlib = () => process.getBuiltinModule('node:zlib');
