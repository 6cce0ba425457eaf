import * as assert from 'uvu/assert';
import { callTask } from '../../commands/zkops/call-task.js';

/** Each znode with its length, from the JSON of SnapshotFormatter or of zkops. */
function sizesIn(text: string): string[] {
  const [, , , top] = JSON.parse(text);
  const sizes: string[] = [];
  const walk = (entry: unknown, above: string): void => {
    const [node, ...children] = [entry].flat() as { name: string; asize: number; ino: number }[];
    if (node === undefined) return;
    assert.is(node.ino, sizes.length + 1001);
    const path = `${above}/${node.name}`;
    sizes.push(`${path} ${node.asize}`);
    for (const child of children) walk(child, path);
  };
  walk(top, '');
  return sizes.sort();
}

/** @param theirs what SnapshotFormatter prints with -json */
export async function compareNcdu(snapshot: string, theirs: string): Promise<void> {
  const { out } = await callTask(['snap', 'dump', snapshot, '--ncdu']);
  assert.equal(sizesIn(out), sizesIn(theirs.slice(theirs.indexOf('[1,0,'))), snapshot);
}
