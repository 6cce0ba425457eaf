import { isWithin } from '../../../protocol/path.js';
import { packageVersion } from '../../program/package-version.js';

/** The export format of ncdu, with the fields of Apache's SnapshotFormatter with -json. */
export class NcduDocument {
  private readonly parts: string[];
  /** The znodes whose lists are open, from the top. */
  private readonly open: string[] = [];
  private last: { readonly path: string; readonly text: string } | undefined;
  /** The numbers begin at 1001, as Apache's. */
  private inode = 1000;

  constructor(timeMs: number) {
    const program = { progname: 'zkops', progver: packageVersion(), timestamp: timeMs };
    this.parts = [`[1,0,${JSON.stringify(program)}`];
  }

  /** In the order of a snapshot: children follow their parent. */
  add(path: string, bytes: number): void {
    this.place(path);
    const parent = this.open.at(-1);
    const name = parent === undefined ? path : path.slice(path.lastIndexOf('/') + 1);
    const node = { name, asize: bytes, dsize: bytes, dev: 0, ino: ++this.inode };
    this.last = { path, text: JSON.stringify(node) };
  }

  finish(): string {
    this.place(undefined);
    return `${this.parts.join('')}]\n`;
  }

  /** Writes the last znode, whose kind the next one tells, and closes what does not contain it. */
  private place(next: string | undefined): void {
    const { last, open, parts } = this;
    if (last !== undefined) {
      // A znode may occur twice if it was created again while the server wrote the snapshot.
      const hasChildren = next !== undefined && next !== last.path && isWithin(next, last.path);
      parts.push(hasChildren ? ',[' : ',', last.text);
      if (hasChildren) open.push(last.path);
    }
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (next !== undefined && next !== top && isWithin(next, top)) return;
      parts.push(']');
      open.pop();
    }
  }
}
