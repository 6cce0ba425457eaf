/**
 * The data of an item as Curator's queues write them: 0x00010001, then for each item 0x01, its
 * length in four bytes, and its bytes, then 0x02.
 */

const VERSION = 0x0001_0001;
const ITEM = 1;
const END = 2;
const HEAD_BYTES = 4;
const ITEM_HEAD_BYTES = 5;

export function encodeItem(data: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + ITEM_HEAD_BYTES);
  head.writeInt32BE(VERSION);
  head.writeUInt8(ITEM, HEAD_BYTES);
  head.writeInt32BE(data.length, HEAD_BYTES + 1);
  return Buffer.concat([head, data, Buffer.of(END)]);
}

/** Curator puts several items into one znode on demand. @returns undefined for other data */
export function decodeItems(bytes: Buffer): readonly Buffer[] | undefined {
  if (bytes.length <= HEAD_BYTES || bytes.readInt32BE() !== VERSION) return undefined;
  const items: Buffer[] = [];
  for (let at = HEAD_BYTES; ; ) {
    const code = bytes[at];
    if (code === END) return items;
    if (code !== ITEM || at + ITEM_HEAD_BYTES > bytes.length) return undefined;
    const length = bytes.readInt32BE(at + 1);
    const begin = at + ITEM_HEAD_BYTES;
    if (length < 0 || begin + length > bytes.length) return undefined;
    items.push(bytes.subarray(begin, begin + length));
    at = begin + length;
  }
}
