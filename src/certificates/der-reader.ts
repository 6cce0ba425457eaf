/**
 * Reads ASN.1 in DER, the encoding of certificates and key stores. `asn1js` accepts the indefinite
 * lengths that DER forbids.
 */

export const DerTag = {
  BOOLEAN: 0x01,
  INTEGER: 0x02,
  BIT_STRING: 0x03,
  OCTET_STRING: 0x04,
  OID: 0x06,
  UTF8_STRING: 0x0c,
  PRINTABLE_STRING: 0x13,
  T61_STRING: 0x14,
  IA5_STRING: 0x16,
  GENERAL_STRING: 0x1b,
  UNIVERSAL_STRING: 0x1c,
  BMP_STRING: 0x1e,
  SEQUENCE: 0x30,
  SET: 0x31,
} as const;

export class DerError extends Error {
  override readonly name = 'DerError';
  readonly code = 'EDER';
}

export interface DerItem {
  readonly tag: number;
  readonly content: Buffer;
  /** Includes tag and length. */
  readonly whole: Buffer;
}

/** @throws DerError */
export function readItems(bytes: Buffer): DerItem[] {
  const items: DerItem[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const item = readItem(rest);
    items.push(item);
    rest = rest.subarray(item.whole.length);
  }
  return items;
}

/** Reads the first item. @throws DerError */
export function readItem(bytes: Buffer): DerItem {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('ends in the middle of an item');
  // 0x80 alone is the indefinite length of BER, which DER forbids.
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw new DerError('has an item of indefinite length');
  const start = 2 + lengthBytes;
  if (bytes.length < start) throw new DerError('ends in the middle of an item');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new DerError('ends in the middle of an item');
  return {
    tag,
    content: bytes.subarray(start, start + length),
    whole: bytes.subarray(0, start + length),
  };
}

/** Returns the item at `index`, which must have `tag`. @throws DerError */
export function expectItem(items: readonly DerItem[], index: number, tag: number): DerItem {
  const item = items[index];
  if (item?.tag !== tag) {
    const found = item === undefined ? 'nothing' : `tag 0x${item.tag.toString(16)}`;
    throw new DerError(`has ${found} (expected tag 0x${tag.toString(16)})`);
  }
  return item;
}

/** The items within the item at `index`. @throws DerError */
export function expectItems(items: readonly DerItem[], index: number, tag: number): DerItem[] {
  return readItems(expectItem(items, index, tag).content);
}

/** "2.5.4.3" */
export function readOid({ content }: DerItem): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [both = 0, ...rest] = arcs;
  const first = Math.min(2, Math.floor(both / 40));
  return [first, both - first * 40, ...rest].join('.');
}

/** A small nonnegative number. @throws DerError */
export function readNumber({ content }: DerItem): number {
  if (content.length < 1 || content.length > 6) throw new DerError('has a number out of range');
  return content.readUIntBE(0, content.length);
}
