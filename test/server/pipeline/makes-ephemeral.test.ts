import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { makesEphemeral } from '../../../src/server/pipeline/makes-ephemeral.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';

const PERSISTENT = 0;
const EPHEMERAL = 1;
const EPHEMERAL_SEQUENTIAL = 3;
const NO_MODE = 77;

/** path, data, an ACL of one entry, flags */
function create(builder: ByteBuilder, flags: number): ByteBuilder {
  const acl = builder.string('/a').buffer(Buffer.from('data')).int(1).int(31);
  return acl.string('world').string('anyone').int(flags);
}

function multi(...ops: readonly [type: number, flags: number][]): Buffer {
  const builder = new ByteBuilder();
  for (const [type, flags] of ops) create(builder.int(type).byte(0).int(-1), flags);
  return builder.int(-1).byte(1).int(-1).build();
}

const CASES: readonly [name: string, type: number, body: Buffer, makes: boolean][] = [
  ['persistent', OpCode.create, create(new ByteBuilder(), PERSISTENT).build(), false],
  ['ephemeral', OpCode.create, create(new ByteBuilder(), EPHEMERAL).build(), true],
  ['sequential', OpCode.create2, create(new ByteBuilder(), EPHEMERAL_SEQUENTIAL).build(), true],
  ['no such mode', OpCode.create, create(new ByteBuilder(), NO_MODE).build(), false],
  ['another operation', OpCode.setData, create(new ByteBuilder(), EPHEMERAL).build(), false],
  ['an empty multi', OpCode.multi, multi(), false],
  ['one without', OpCode.multi, multi([OpCode.create, PERSISTENT]), false],
  ['the second', OpCode.multi, multi([OpCode.create, 0], [OpCode.create2, EPHEMERAL]), true],
  ['a type that no multi may hold', OpCode.multi, multi([OpCode.sync, EPHEMERAL]), false],
];

for (const [name, type, body, makes] of CASES) {
  test(`${name}: ${makes ? 'an' : 'no'} ephemeral, and the body is not consumed`, () => {
    const input = new InputArchive(body);
    assert.is(makesEphemeral(type, input), makes);
    assert.is(input.at, 0);
  });
}

test('a truncated request makes none', () => {
  const body = create(new ByteBuilder(), EPHEMERAL).build();
  for (let length = 0; length < body.length; length++) {
    assert.not.ok(makesEphemeral(OpCode.create, new InputArchive(body.subarray(0, length))));
  }
});

test.run();
