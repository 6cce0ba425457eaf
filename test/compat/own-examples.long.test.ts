// The examples that the npm package node-zookeeper-client brings along print the same on its
// adapter and on itself.
import { type EventEmitter, once } from 'node:events';
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/index.js';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { waitFor } from '../support/wait-for.js';
import { targetTest } from './targets.js';

/** In an order in which each finds what it needs, with the number of lines that it prints. */
const CALLS: readonly (readonly [lines: number, file: string, ...args: string[]])[] = [
  [2, 'create.js', '/a'],
  [2, 'create.js', '/a'],
  [2, 'mkdirp.js', '/b/c'],
  [2, 'exists.js', '/a'],
  [2, 'exists.js', '/missing'],
  [2, 'set.js', '/a', 'text'],
  [2, 'set.js', '/missing', 'text'],
  [2, 'get.js', '/a'],
  [2, 'get.js', '/missing'],
  [2, 'list.js', '/'],
  [2, 'list.js', '/missing'],
  [2, 'listSubTreeBFS.js', '/b'],
  [2, 'removeRecursive.js', '/b'],
  [2, 'delete.js', '/b'],
  [2, 'transaction.js'],
  [2, 'delete.js', '/a'],
  [2, 'create.js', '/guarded'],
  [3, 'acl.js', '/guarded'],
];

interface Loader {
  _load(request: string, ...rest: unknown[]): unknown;
}

interface Client extends EventEmitter {
  close(): void;
}

interface Package {
  createClient(...args: unknown[]): Client;
}

const loader = Module as unknown as Loader;
const root = repositoryRoot();
const require = createRequire(join(root, 'package.json'));
const PACKAGE = dirname(require.resolve('node-zookeeper-client/package.json'));

/** What the examples print with that package. */
async function printed(library: string, connectString: string): Promise<string[]> {
  const all: string[] = [];
  const { argv } = process;
  const { log } = console;
  const load = loader._load;
  const own = require(library) as Package;
  const opened: { readonly client: Client; readonly ended: Promise<unknown> }[] = [];
  const createClient = (...args: unknown[]) => {
    const client = own.createClient(...args);
    opened.push({ client, ended: once(client, 'disconnected') });
    return client;
  };
  loader._load = (request, ...rest) =>
    request === '../index.js' ? { ...own, createClient } : load.call(loader, request, ...rest);
  console.log = (...args) => all.push(format(...args));
  try {
    for (const [lines, file, ...args] of CALLS) {
      const path = join(PACKAGE, 'examples', file);
      const before = all.length;
      process.argv = [...argv.slice(0, 1), path, connectString, ...args];
      delete require.cache[path];
      require(path);
      await waitFor(`the lines of ${file}`, () => all.length === before + lines);
      // Its watch would print more.
      for (const { client, ended } of opened.splice(0)) {
        client.close();
        await ended;
      }
    }
  } finally {
    Object.assign(process, { argv });
    Object.assign(console, { log });
    loader._load = load;
    for (const { client } of opened) client.close();
  }
  return all;
}

targetTest('the examples of node-zookeeper-client', async ({ connectString }) => {
  const client = createClient({ connectString });
  for (const path of ['/own', '/adapter']) await client.create(path, null);
  await client.close();
  const own = await printed(PACKAGE, `${connectString}/own`);
  const adapter = join(root, 'dist/cjs/compat/node-zookeeper-client/index.js');
  const found = await printed(adapter, `${connectString}/adapter`);
  // The old package never names the path.
  assert.equal(
    found.map((text) => text.replace(/(?<=[A-Z]\[-\d+\])@[^ .]*/, '')),
    own,
  );
});

test.run();
