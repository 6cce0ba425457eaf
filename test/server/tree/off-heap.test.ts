import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const HEAP_MIB = 32;
const ZNODES = 30_000;
const DATA_BYTES = 3000;

/** Holds almost three times as much as the heap may. */
const SCRIPT = `
  const { DataTree } = await import(process.argv[1]);
  const { OPEN_ACL_UNSAFE: acl } = await import(process.argv[2]);
  const tree = new DataTree().addReserved();
  const data = 'x'.repeat(${DATA_BYTES});
  for (let i = 1; i <= ${ZNODES}; i++) {
    const head = { sessionId: 1n, cxid: i, zxid: BigInt(i), time: 0n };
    const txn = { type: 1, path: '/' + i, data, acl, isEphemeral: false, parentCVersion: i, ttl: 0n };
    tree.apply(head, txn);
  }
  console.log(tree.nodeCount, tree.dataAt('/' + ${ZNODES}).length);
`;

test('a tree may be larger than the heap', async () => {
  const urls = ['server/tree/data-tree.js', 'protocol/perms.js'].map(
    (name) => new URL(`../../../src/${name}`, import.meta.url).href,
  );
  const flags = [`--max-old-space-size=${HEAP_MIB}`, '--input-type=module'];
  const args = [...flags, '--eval', SCRIPT, ...urls];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // The root counts twice, and /zookeeper has two znodes below it.
  assert.is(stdout, `${ZNODES + 5} ${DATA_BYTES}\n`);
});

test.run();
