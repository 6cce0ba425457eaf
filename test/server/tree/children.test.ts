import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Children } from '../../../src/server/tree/children.js';
import { DataNode } from '../../../src/server/tree/data-node.js';

const test = suite('Children');

function make(count: number): { children: Children; nodes: DataNode[] } {
  const children = new Children();
  const nodes = Array.from({ length: count }, (_, i) => new DataNode(`/p/${i}`, null, 0, i));
  for (const node of nodes) children.add(node);
  return { children, nodes };
}

const slots = (children: Iterable<DataNode>) => [...children].map(({ slot }) => slot);

test('come in the order in which they were made', () => {
  const { children, nodes } = make(5);
  children.delete(nodes[1] as DataNode);
  children.add(new DataNode('/p/late', null, 0, 9));
  assert.equal(slots(children), [0, 2, 3, 4, 9]);
  assert.is(children.size, 5);
});

test('deleting a child twice, or an unknown one, changes nothing', () => {
  const { children, nodes } = make(2);
  children.delete(nodes[0] as DataNode);
  children.delete(nodes[0] as DataNode);
  children.delete(new DataNode('/q', null, 0, 7));
  assert.equal(slots(children), [1]);
});

test('a queue that is never empty uses memory only for its entries', () => {
  const { children, nodes } = make(10);
  for (let i = 10; i < 10_000; i++) {
    children.delete(nodes.shift() as DataNode);
    const node = new DataNode(`/p/${i}`, null, 0, i);
    nodes.push(node);
    children.add(node);
    assert.ok(children.places.length < 64);
  }
  assert.equal(slots(children), slots(nodes));
});

test('an iteration sees every child that stays, and no deleted one', () => {
  const { children, nodes } = make(1000);
  const seen = new Set<DataNode>();
  for (const node of children) {
    assert.ok(node.place >= 0, node.path);
    assert.not(seen.has(node), node.path);
    seen.add(node);
    // Deleted children are before and after the position, with several compactions.
    for (const by of [-3, -2, -1, 1, 2, 5]) {
      const at = node.slot + by;
      const other = nodes[at];
      if (other !== undefined && at % 4 !== 0) children.delete(other);
    }
  }
  for (const node of children) assert.ok(seen.has(node), node.path);
  assert.ok(children.places.length < 1000);
});

test.run();
