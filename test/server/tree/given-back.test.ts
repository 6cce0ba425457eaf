import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const MIB = 1024 * 1024;
const SIZE = 1000;

/** Creates and deletes 100 MiB of znodes, and prints the resident memory after each step. */
const STEPS = `
const { DataTree } = await import(process.argv[1]);
const { OpCode } = await import(process.argv[2]);
const tree = new DataTree({});
tree.finishLoading(0n);
let zxid = 0n;
const head = () => ({ sessionId: 1n, cxid: 1, zxid: ++zxid, time: 1n });
const acl = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const count = Math.floor((100 * ${MIB}) / ${SIZE});
const data = 'x'.repeat(${SIZE});
for (let at = 0; at < count; at++) {
  const create = { path: '/n' + at, data, acl, isEphemeral: false, parentCVersion: at + 1 };
  tree.apply(head(), { type: OpCode.create, ...create });
}
const full = process.memoryUsage.rss();
for (let at = 0; at < count; at++) tree.apply(head(), { type: OpCode.delete, path: '/n' + at });
let rss = full;
for (let turn = 0; turn < 200 && rss > full - 60 * ${MIB}; turn++) {
  gc();
  await new Promise(setImmediate);
  rss = process.memoryUsage.rss();
}
console.log(Math.round((full - rss) / ${MIB}));
`;

test('with the environment of the unit, the memory of deleted znodes returns to the system', async () => {
  const root = new URL('../../../../', import.meta.url);
  const unit = readFileSync(new URL('deploy/systemd/zkserver.service', root), 'utf8');
  const settings = [...unit.matchAll(/^Environment=(MALLOC_\w+)=(\w+)$/gm)];
  const modules = ['server/tree/data-tree.js', 'protocol/op-code.js'].map(
    (path) => new URL(`dist/src/${path}`, root).href,
  );
  const args = ['--expose-gc', '--input-type=module', '-e', STEPS, ...modules];
  const env = {
    ...process.env,
    ...Object.fromEntries(settings.map(([, name = '', value]) => [name, value])),
  };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env,
    cwd: fileURLToPath(root),
  });
  assert.ok(Number(stdout) >= 60, `${stdout.trim()} of 100 MiB returned`);
});

test.run();
