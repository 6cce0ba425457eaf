import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { ServerWorld } from '../server-world.js';

// Strings of an ACL may be null on the wire. Apache's servers 3.9 answer as here (the suite of the
// C client sends them).

const IP = 'INVALIDACL';
const BAD = 'MARSHALLINGERROR';

function createWith(scheme: string | null, id: string | null): Buffer {
  const body = new ByteBuilder().string('/a').buffer(null);
  body.vector([0], (entry) => {
    entry.int(31);
    for (const text of [scheme, id]) {
      if (text === null) entry.int(-1);
      else entry.string(text);
    }
  });
  return body.int(0).build();
}

for (const [scheme, id, answer] of [
  [null, null, IP],
  [null, 'anyone', IP],
  ['auth', null, IP],
  ['nonsense', null, IP],
  ['world', null, BAD],
  ['digest', null, BAD],
  ['ip', null, BAD],
] as const) {
  test(`a create with the ACL (${scheme}, ${id}) is answered with ${answer}`, () => {
    const world = new ServerWorld();
    const client = world.client();
    client.push(client.bare(OpCode.create, createWith(scheme, id)));
    world.ackAll();
    assert.equal(client.take(), [`create ${answer}`]);
  });
}

test('(auth, null) stands for the ids of an authenticated client', () => {
  const world = new ServerWorld();
  const client = world.client();
  const auth = Buffer.from('bob:secret');
  client.push(client.request(OpCode.auth, { type: 0, scheme: 'digest', auth }, Xid.auth));
  client.push(client.bare(OpCode.create, createWith('auth', null)));
  world.ackAll();
  assert.equal(client.take().at(-1), 'create ok');
  const { tree } = world.server.state;
  const node = tree.get('/a');
  assert.is(node && tree.aclOf(node)[0]?.id.scheme, 'digest');
});

test('a create2 within a multi is answered as create2, with a Stat', () => {
  const world = new ServerWorld();
  const client = world.client();
  const create = new ByteBuilder().string('/b').buffer(null);
  create.vector([0], (entry) => entry.int(31).string('world').string('anyone')).int(0);
  const end = new ByteBuilder().int(-1).bool(true).int(-1).build();
  const part = new ByteBuilder().int(OpCode.create2).bool(false).int(-1).bytes(create.build());
  client.push(client.bare(OpCode.multi, part.bytes(end).build()));
  world.ackAll();
  const header = new ByteBuilder().int(OpCode.create2).bool(false).int(0).string('/b').build();
  const at = client.bytes.indexOf(header);
  assert.ok(at > 0, 'no result of type create2');
  const statLength = 68;
  assert.is(client.bytes.length - at - header.length - end.length, statLength);
});

test.run();
