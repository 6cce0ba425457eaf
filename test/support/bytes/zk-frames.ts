/** Splits a stream of ZooKeeper's protocol into frames, including the length word. */
export class FrameSplitter {
  private pending: Buffer = Buffer.alloc(0);

  /** The frames that are complete. Other bytes (a four-letter word, TLS) pass unchanged. */
  push(chunk: Buffer): readonly Buffer[] {
    this.pending = Buffer.concat([this.pending, chunk]);
    const frames: Buffer[] = [];
    while (this.pending.length >= 4) {
      const length = 4 + this.pending.readInt32BE(0);
      const isFrame = length >= 4 && length < LONGEST;
      if (isFrame && this.pending.length < length) break;
      const end = isFrame ? length : this.pending.length;
      frames.push(this.pending.subarray(0, end));
      this.pending = this.pending.subarray(end);
    }
    return frames;
  }
}

const LONGEST = 16 * 1024 * 1024;

/** The xid of a request or a reply. The first frame of each direction has none. */
export function xidOf(frame: Buffer): number {
  return frame.length < 8 ? 0 : frame.readInt32BE(4);
}
