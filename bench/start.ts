/**
 * `npm run bench -- start [--runs N] [--against FOLDER] [PROGRAM…]`: how long zksh's `get /a`,
 * zkops's `mntr`, and a `--version` take from their start to their end. Medians, in turns. FOLDER
 * is dist/bin of another commit. A PROGRAM is another copy of zksh, such as dist/executable/zksh.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createClient } from '../src/client/index.js';
import { startServer } from '../src/server/main.js';

const run = promisify(execFile);
const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '21' }, against: { type: 'string' } },
  allowPositionals: true,
});
const cache = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
const env = { ...process.env, XDG_CACHE_HOME: cache, NODE_EXTRA_CA_CERTS: undefined };
const server = await startServer();
const client = createClient({ connectString: server.connectString });
await client.connect();
await client.create('/a', Buffer.from('x'));

const get = [server.connectString, '-c', 'get /a'];
const ofNode = (name: string, args: string[]) => ({ name, command: process.execPath, args });
const ofFolder = (folder: string) => [
  ofNode(`${folder}/zksh.cjs get`, [join(folder, 'zksh.cjs'), ...get]),
  ofNode(`${folder}/zksh.cjs --version`, [join(folder, 'zksh.cjs'), '--version']),
  ofNode(`${folder}/zkops.cjs mntr`, [
    join(folder, 'zkops.cjs'),
    'mntr',
    '--servers',
    server.connectString,
  ]),
];
const commands = [
  ofNode('node -e 0', ['-e', '0']),
  ...['dist/bin', values.against ?? []].flat().flatMap(ofFolder),
  ...positionals.map((path) => ({ name: path, command: path, args: get })),
];

async function timeOf({ command, args }: (typeof commands)[number]): Promise<number> {
  const startedAt = performance.now();
  await run(command, args, { env });
  return performance.now() - startedAt;
}

/** An executable unpacks its files at the first start. */
const first = new Map<string, number>();
for (const one of commands) first.set(one.name, await timeOf(one));
const times = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
for (let round = 0; round < Number(values.runs); round++) {
  for (const one of commands) times.get(one.name)?.push(await timeOf(one));
}
console.log('| program | MB | first start, ms | median, ms |\n| --- | --- | --- | --- |');
for (const [name, all] of times) {
  const median = all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
  const megabytes = positionals.includes(name) ? (statSync(name).size / 1e6).toFixed(0) : '-';
  console.log(`| ${name} | ${megabytes} | ${first.get(name)?.toFixed(0)} | ${median.toFixed(0)} |`);
}
await client.close();
await server.close();
rmSync(cache, { recursive: true });
