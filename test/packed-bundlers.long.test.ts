// An application that logs in with a password and by TLS, in the output of bundlers: the modules of
// Node.js that the client loads on demand must still be found.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from './support/machine/temp-dir.js';
import { makePackedProject, runNode } from './support/packed-project.js';
import { PROJECT_ROOT } from './support/tidy/source-file.js';
import { makeTlsFiles, startSecure } from './support/tls/tls-world.js';

const JAAS = `Server {
  org.apache.zookeeper.server.auth.DigestLoginModule required user_bob="secret";
};
`;

const APPLICATION = `import { readFileSync } from 'node:fs';
import { createClient } from 'zksh/client';
const [plain, secure, caFile] = process.argv.slice(-3);
async function read(options) {
  const client = createClient({ ...options, connectTimeoutMs: 10_000 });
  await client.connect();
  const users = await client.whoAmI();
  await client.close();
  return users.map(({ user }) => user).sort().pop();
}
async function main() {
  const sasl = { user: 'bob', password: 'secret' };
  console.log(await read({ connectString: plain, sasl }));
  const tls = { ca: readFileSync(caFile, 'utf8') };
  console.log(await read({ connectString: secure, tls }));
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
`;

/** Scripts that bundle app.js; the first argument is the folder of the output. */
const BUNDLERS: Readonly<Record<string, string>> = {
  webpack: `import webpack from 'webpack';
const compiler = webpack({ mode: 'production', target: 'node', entry: './app.js',
  output: { path: process.argv[2], filename: 'webpack.cjs' } });
compiler.run((error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
});`,
  rollup: `import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
const plugins = [nodeResolve({ preferBuiltins: true }), commonjs()];
const bundle = await rollup({ input: 'app.js', plugins });
const entryFileNames = 'rollup.mjs';
await bundle.write({ dir: process.argv[2], format: 'es', entryFileNames });
await bundle.write({ dir: process.argv[2], format: 'cjs', entryFileNames: 'rollup.cjs',
  chunkFileNames: '[name].cjs' });`,
  vite: `import { build } from 'vite';
await build({ logLevel: 'error', ssr: { noExternal: true },
  build: { ssr: 'app.js', outDir: process.argv[2], emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: 'vite.mjs' } } } });`,
  esbuild: `import { build } from '${join(PROJECT_ROOT, 'node_modules/esbuild/lib/main.js')}';
for (const [format, end] of [['esm', 'mjs'], ['cjs', 'cjs']]) {
  await build({ entryPoints: ['app.js'], bundle: true, platform: 'node', format, minify: true,
    outfile: process.argv[2] + '/esbuild.' + end });
}`,
};

const OUTPUTS = 'esbuild.mjs esbuild.cjs webpack.cjs rollup.mjs rollup.cjs vite.mjs'.split(' ');

/** Not synchronous, because the server runs in this process. */
function run(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

test('bundles of every bundler connect by TLS and with a password', async () => {
  const project = makePackedProject('bundlers');
  // Elsewhere, so that no bundle finds the package.
  const out = makeTempDir('bundles');
  const files = makeTlsFiles();
  try {
    writeFileSync(join(project.path, 'app.js'), APPLICATION);
    for (const [name, script] of Object.entries(BUNDLERS)) {
      writeFileSync(join(project.path, `${name}.build.mjs`), script);
      runNode(project.path, [`${name}.build.mjs`, out.path]);
    }
    const jaas = files.write('jaas.conf', JAAS);
    const server = await startSecure(files, {
      'java.security.auth.login.config': jaas,
      'ssl.clientAuth': 'none',
    });
    try {
      const [plain, secure] = [server.port, server.securePort].map((port) => `127.0.0.1:${port}`);
      for (const name of OUTPUTS) {
        const args = [plain ?? '', secure ?? '', files.caFile];
        assert.is(await run(join(out.path, name), args), 'bob\n127.0.0.1\n', name);
      }
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
    out.remove();
    project.remove();
  }
});

test.run();
