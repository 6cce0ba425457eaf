// Writes V8's code cache beside each bundle in dist/bin, after a run of its most common work, so
// that src/bin/launch.ts need not compile. As a program, it runs one bundle and writes its cache:
//
//   node scripts/code-cache.mjs BUNDLE [argument]…
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const compiled = '../dist/src/bin/compiled-bundle.js';

export async function writeCodeCaches(bin) {
  const home = mkdtempSync(join(tmpdir(), 'zksh-build-'));
  const at = (name) => join(bin, `${name}-main.cjs`);
  const port = await freePort();
  const words = ['-D', 'zookeeper.4lw.commands.whitelist=*'];
  const server = record([at('zkserver'), 'start-foreground', String(port), home, ...words], true);
  try {
    await server.serving;
    const target = `127.0.0.1:${port}`;
    await record([at('zksh'), target, '-c', 'create /a hello; get /a; ls /']).ended;
    await record([at('zkops'), 'mntr', '--servers', target, '--fail-on', 'never']).ended;
  } finally {
    server.child.kill('SIGTERM');
    await server.ended.finally(() => rmSync(home, { recursive: true, force: true }));
  }
}

function record(args, isServer = false) {
  const stdio = ['ignore', 'ignore', 'pipe', ...(isServer ? ['ipc'] : [])];
  const child = spawn(process.execPath, [self, ...args], { stdio });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      if (status === 0) resolve();
      else reject(new Error(`${args.join(' ')} ended with ${status}:\n${said}`));
    });
  });
  // A server that ends before it serves prints the reason.
  const serving = Promise.race([new Promise((resolve) => child.once('message', resolve)), ended]);
  return { child, ended, serving };
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

if (process.argv[1] === self) {
  const { codeCacheFile, compileBundle } = await import(compiled);
  const [bundle, ...args] = process.argv.slice(2);
  const script = compileBundle(bundle, readFileSync(bundle, 'latin1'));
  process.on('exit', () => writeFileSync(codeCacheFile(bundle), script.codeCache()));
  process.argv = [process.execPath, bundle, ...args];
  script.run();
}
