import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { txnLengthBound } from '../../../src/server/prep/read-ops.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { ServerWorld } from '../server-world.js';

const SEQUENTIAL = 2;

/** Creates of sequential znodes, whose names are longer in the log. */
function creates(count: number, scheme: string, id: string): Buffer {
  const multi = new ByteBuilder();
  for (let i = 0; i < count; i++) {
    multi.int(OpCode.create).bool(false).int(-1).string('/n').buffer(null);
    multi.vector([0], (entry) => entry.int(31).string(scheme).string(id));
    multi.int(SEQUENTIAL);
  }
  return multi.int(-1).bool(true).int(-1).build();
}

for (const [count, scheme, id] of [
  [1, 'auth', ''],
  [60, 'auth', ''],
  [1, 'world', 'anyone'],
  [60, 'world', 'anyone'],
] as const) {
  test(`the log entry of ${count} creates for ${scheme}:${id} is not longer than its bound`, () => {
    const world = new ServerWorld();
    const client = world.client();
    const auth = Buffer.from('bob:secret');
    client.push(client.request(OpCode.auth, { type: 0, scheme: 'digest', auth }, Xid.auth));
    world.ackAll();
    const before = world.effects.length;
    const body = creates(count, scheme, id);
    client.push(client.bare(OpCode.multi, body));
    const [append] = world.effects.slice(before).filter(({ kind }) => kind === 'append');
    assert.ok(append?.kind === 'append');
    const ids = [...world.server.state.connections.values()].at(-1)?.ids ?? [];
    const bound = txnLengthBound(OpCode.multi, new InputArchive(body), ids, 0);
    const { length } = append.bytes;
    assert.ok(length <= bound, `${length} bytes, bound ${bound}`);
    assert.ok(bound < 2 * length + 200, `${length} bytes, bound ${bound}`);
  });
}

test.run();
