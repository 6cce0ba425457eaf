import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { yamlSyntax } from '../../../src/commands/trees/yaml-dump.js';

const MIB = 1024 * 1024;

test('a line without an end is refused at the length of a znode, not at the end of the file', async () => {
  let read = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; read < 64; read++) yield Buffer.alloc(MIB, 'a');
  }
  try {
    for await (const piece of yamlSyntax.split(endless(), 2 * MIB)) assert.unreachable(piece.text);
    assert.unreachable('it ended');
  } catch (error) {
    assert.instance(error, RangeError);
    assert.match(String(error), 'document is too large for a znode');
  }
  assert.is(read, 2);
});

test.run();
