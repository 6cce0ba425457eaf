import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { errorName } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { Prep } from '../../../src/server/prep/prep.js';
import { Auth } from '../../../src/server/session/auth.js';
import { deleteTxn, TreeWorld } from '../tree/tree-world.js';

const AUTHOR = { sessionId: 1n, ids: [], isLocal: false };

class ReapWorld {
  readonly trees: TreeWorld;
  private readonly prep: Prep;
  private zxid = 100n;

  constructor(isTTLEnabled = true) {
    this.trees = new TreeWorld({ isTTLEnabled });
    const options = { isDigestEnabled: true, isQuotaEnforced: false, isTTLEnabled };
    this.prep = new Prep(this.trees.tree, new Auth({ hash: String }), {
      ...options,
      reconfigure: null,
    });
  }

  private stamp() {
    this.zxid++;
    return { zxid: this.zxid, time: 1000n };
  }

  /** Prepares a write of a client, which is then outstanding. */
  prepare(type: number, value: object): void {
    const bytes = OPERATION_TABLE.get(type)?.request?.encode(value) ?? Buffer.alloc(0);
    const { txn } = this.prep.prepare(type, new InputArchive(bytes), AUTHOR, this.stamp());
    assert.is(txn.type, type);
  }

  create(path: string): void {
    this.prepare(OpCode.create, { path, data: Buffer.alloc(0), acl: OPEN_ACL_UNSAFE, flags: 0 });
  }

  /** "deleted", or the name of the error. */
  reap(path: string): string {
    const { txn } = this.prep.prepareReap(path, this.stamp());
    if (txn.type === OpCode.error) return errorName(txn.err) ?? '?';
    assert.equal(txn, { type: OpCode.deleteContainer, path });
    return 'deleted';
  }
}

const KINDS = [
  { name: 'container', options: { type: OpCode.createContainer } },
  { name: 'TTL node', options: { type: OpCode.createTTL, ttl: 1n } },
] as const;

for (const { name, options } of KINDS) {
  test(`a ${name} without children is deleted, once`, () => {
    const world = new ReapWorld();
    world.trees.create('/a', options);
    assert.is(world.reap('/a'), 'deleted');
    assert.is(world.reap('/a'), 'NONODE');
  });

  test(`a ${name} with a child stays, even if only the create of the child is outstanding`, () => {
    const world = new ReapWorld();
    world.trees.create('/applied', options);
    world.trees.create('/applied/child');
    assert.is(world.reap('/applied'), 'NOTEMPTY');
    world.trees.create('/outstanding', options);
    world.create('/outstanding/child');
    assert.is(world.reap('/outstanding'), 'NOTEMPTY');
    world.prepare(OpCode.delete, { path: '/outstanding/child', version: -1 });
    assert.is(world.reap('/outstanding'), 'deleted');
  });
}

test('a znode of another kind at the same path stays', () => {
  const world = new ReapWorld();
  world.trees.create('/a', KINDS[0].options);
  world.trees.apply(deleteTxn('/a'));
  world.trees.create('/a');
  assert.is(world.reap('/a'), 'NONODE');
  world.trees.create('/ephemeral', { isEphemeral: true });
  assert.is(world.reap('/ephemeral'), 'NONODE');
});

test('without extended types, a TTL node is that of a session, and stays', () => {
  const world = new ReapWorld(false);
  world.trees.create('/a', KINDS[1].options);
  assert.is(world.reap('/a'), 'NONODE');
});

test.run();
