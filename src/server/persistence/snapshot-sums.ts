/**
 * The checksums of a snapshot's znodes, in the order of the file. Another thread computes them from
 * the same file while the server loads the znodes.
 */
import { assert } from '../../base/assert.js';
import { pathCrc } from '../../files/digest.js';
import { isAsciiPath, type NodePlace, placePathCrc, sumPlace } from '../../files/node-place.js';
import { SnapshotReader } from '../../files/snapshot-reader.js';

/** The sums of a znode, as DataTree.takeSums needs them. */
const WORDS = 3;
const FIRST_ZNODES = 1 << 16;

/** Plain data, so that it can come from another thread. */
export interface SnapshotSums {
  readonly count: number;
  /** WORDS for each znode. */
  readonly words: Uint32Array;
}

/** Sums the znodes of a snapshot file, which comes in pieces. @throws Error for a damaged one */
export class SnapshotSummer {
  private readonly reader: SnapshotReader;
  /** The znodes summed so far. */
  private count = 0;
  /** WORDS for each of them, then room for more. */
  private words = new Uint32Array(WORDS * FIRST_ZNODES);

  /** @param maxLength as of SnapshotReader */
  constructor(maxLength: number) {
    this.reader = new SnapshotReader(maxLength);
  }

  /** The piece may be overwritten afterwards. */
  push(piece: Buffer): void {
    this.reader.push(piece);
    this.read();
  }

  end(): SnapshotSums {
    this.reader.end();
    this.read();
    assert(WORDS * this.count <= this.words.length, 'snapshot sums: too few', this.count);
    return { count: this.count, words: this.words };
  }

  private read(): void {
    const { reader } = this;
    for (;;) {
      while (reader.skipNode()) this.add(reader.node);
      const item = reader.next();
      if (item.kind === 'node') this.add(reader.node);
      else if (item.kind === 'invalid') throw new Error(item.reason);
      else if (item.kind === 'need-more' || item.kind === 'end') return;
    }
  }

  private add(place: NodePlace): void {
    const at = WORDS * this.count++;
    if (at === this.words.length) {
      const grown = new Uint32Array(2 * at);
      grown.set(this.words);
      this.words = grown;
    }
    assert(at + WORDS <= this.words.length, 'snapshot sums: no room', at, this.words.length);
    const { bytes, start, pathEnd } = place;
    const sum = isAsciiPath(place)
      ? placePathCrc(place)
      : pathCrc(bytes.toString('utf8', start + 4, pathEnd));
    this.words[at] = sum;
    sumPlace(place, sum, this.words, at + 1);
  }
}
