import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Hash64, ZnodeTable } from '../../../src/commands/data-files/znode-table.js';

function hashOf(text: string): Hash64 {
  const hash = new Hash64();
  hash.reset();
  hash.addText(text);
  return hash;
}

test('a table that grew many times finds its entries, with its content, and nothing else', () => {
  const table = new ZnodeTable();
  const count = 100_000;
  for (let at = 0; at < count; at++) table.add(hashOf(`/app/node-${at}`), hashOf(`data ${at}`));
  assert.is(table.count, count);
  for (let at = 0; at < count; at++) {
    const slot = table.find(hashOf(`/app/node-${at}`));
    assert.ok(slot !== undefined && table.hasContent(slot, hashOf(`data ${at}`)), `${at}`);
    assert.not(slot !== undefined && table.hasContent(slot, hashOf(`data ${at + 1}`)), `${at}`);
    assert.is(table.find(hashOf(`/app/other-${at}`)), undefined);
  }
});

test('a mark is of one znode', () => {
  const table = new ZnodeTable();
  for (const path of ['/a', '/b']) table.add(hashOf(path), hashOf(''));
  const [first = -1, second = -1] = [table.find(hashOf('/a')), table.find(hashOf('/b'))];
  table.mark(first);
  assert.equal([table.isMarked(first), table.isMarked(second)], [true, false]);
});

test('the two halves of a hash differ for texts that one half confuses', () => {
  const seen = new Map<number, string>();
  let confused = 0;
  for (let at = 0; at < 200_000; at++) {
    const text = `/zk/session-${at}/lock`;
    const { high, low } = hashOf(text);
    const other = seen.get(high);
    if (other !== undefined) {
      confused++;
      assert.is.not(hashOf(other).low, low, `${text} and ${other}`);
    }
    seen.set(high, text);
  }
  assert.ok(confused > 0, 'one half alone is not enough');
});

test.run();
