import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentCrc, pathCrc } from '../../../src/files/digest.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { Prep } from '../../../src/server/prep/prep.js';
import { Auth } from '../../../src/server/session/auth.js';
import { TreeWorld } from '../tree/tree-world.js';

/** The sums of the znode that a create of /a with data makes. */
function sumsOf(isDigestEnabled: boolean): [path: number, content: number] {
  const hash = (text: string) => createHash('sha1').update(text).digest('base64');
  const options = { isDigestEnabled, isQuotaEnforced: false, isTTLEnabled: false };
  const { tree } = new TreeWorld();
  const prep = new Prep(tree, new Auth({ hash }), { ...options, reconfigure: null });
  const value = { path: '/a', data: Buffer.from('data'), acl: OPEN_ACL_UNSAFE, flags: 0 };
  const bytes = OPERATION_TABLE.get(OpCode.create)?.request?.encode(value) ?? Buffer.alloc(0);
  const author = { sessionId: 1n, ids: [{ scheme: 'ip', id: '10.0.0.1' }], isLocal: false };
  const stamp = { zxid: 9n, time: 1000n };
  const { records } = prep.prepare(OpCode.create, new InputArchive(bytes), author, stamp);
  const record = records.find(({ path }) => path === '/a');
  assert.ok(record !== undefined);
  return [record.pathSum, record.stat.contentCrc];
}

test('a new znode has the sums of its path and data, and none without digests', () => {
  assert.equal(sumsOf(true), [pathCrc('/a'), contentCrc('/a', 'data')]);
  assert.equal(sumsOf(false), [0, 0]);
});

test.run();
