import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shortNames } from '../../../src/commands/terminal/short-names.js';
import { textWidth } from '../../../src/commands/terminal/text-width.js';

const END = '.zookeeper-headless.kafka.svc.cluster.local:2181';

test('long names lose the end that they share, or their middle, and stay different', () => {
  const members = [0, 1, 2].map((at) => `zookeeper-${at}${END}`);
  assert.equal(shortNames(members, 24), ['zookeeper-0', 'zookeeper-1', 'zookeeper-2']);
  assert.equal(shortNames(members, 100), members);
  assert.equal(shortNames([`zookeeper-0${END}`], 24), ['zookeeper-0.….local:2181']);
  assert.equal(shortNames([`zk-0${END}`, 'zk-1.zk.example.org:2182'], 20), [
    'zk-0.zooke…ocal:2181',
    'zk-1.zk.ex….org:2182',
  ]);
  // The end begins at a dot, and no name becomes empty.
  assert.equal(shortNames(['node-1.a', 'node-21.a'], 8), ['node-1', 'node-21']);
  assert.equal(shortNames(['.a.b.c.d', 'x.a.b.c.d'], 6), ['.a', 'x.a']);
  const same = [1, 2].map((at) => `${'a'.repeat(30)}${at}${'b'.repeat(30)}`);
  assert.equal(shortNames(same, 10), same);
  for (const name of shortNames(['漢字漢字漢字漢字漢字', `${'x'.repeat(40)}`], 11)) {
    assert.ok(textWidth(name) <= 11, name);
  }
});

test.run();
