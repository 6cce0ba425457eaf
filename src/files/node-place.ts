/** A znode of a snapshot as bytes (snapshot.ts has the format). */

import { crc32 } from '../base/checksum.js';
import { getInt, getLong } from '../jute/long.js';
import { UNCOUNTED } from './digest.js';

/** The path is after `start`; data, ACL key, and Stat follow. */
export interface NodePlace {
  bytes: Buffer;
  start: number;
  pathEnd: number;
  dataEnd: number;
  end: number;
}

export const ACL_KEY_SIZE = 8;
/** Offsets in a StatPersisted. */
const CTIME = 16;
const PZXID = 52;

/** Data and Stat are views. */
export function decodeNode({ bytes, start, pathEnd, dataEnd, end }: NodePlace) {
  return {
    path: bytes.toString('utf8', start + 4, pathEnd),
    data: bytes.readInt32BE(pathEnd) < 0 ? null : bytes.subarray(pathEnd + 4, dataEnd),
    aclKey: getLong(bytes, dataEnd),
    stat: bytes.subarray(dataEnd + ACL_KEY_SIZE, end),
  };
}

/** Whether its ACL key is that of world:anyone:cdrwa; makes no bigint. */
export function hasOpenAcl({ bytes, dataEnd }: NodePlace): boolean {
  return (getInt(bytes, dataEnd) & getInt(bytes, dataEnd + 4)) === -1;
}

/** If not, the path may contain invalid UTF-8, and its string has other bytes. */
export function isAsciiPath({ bytes, start, pathEnd }: NodePlace): boolean {
  for (let at = start + 4; at < pathEnd; at++) if ((bytes[at] as number) > 0x7f) return false;
  return true;
}

/** The znode with the path that clients see: invalid UTF-8 is replaced. */
export function withValidPath({ bytes, start, pathEnd, dataEnd, end }: NodePlace): NodePlace {
  const path = Buffer.from(bytes.toString('utf8', start + 4, pathEnd));
  const grown = start + 4 + path.length - pathEnd;
  const length = Buffer.alloc(4);
  length.writeInt32BE(path.length);
  const valid = Buffer.concat([length, path, bytes.subarray(pathEnd, end)]);
  const at = (before: number) => before + grown - start;
  return { bytes: valid, start: 0, pathEnd: at(pathEnd), dataEnd: at(dataEnd), end: at(end) };
}

export function placePathCrc({ bytes, start, pathEnd }: NodePlace): number {
  return crc32(bytes, start + 4, pathEnd);
}

/** The CRC-32 of path and data. */
function placeCrc(place: NodePlace, pathSum = placePathCrc(place)): number {
  return crc32(place.bytes, place.pathEnd + 4, place.dataEnd, pathSum);
}

/** The digest of a znode (files/digest.ts). */
export function placeDigest(place: NodePlace, contentSum = placeCrc(place)): number {
  const { bytes, dataEnd } = place;
  const stat = dataEnd + ACL_KEY_SIZE;
  let crc = crc32(bytes, stat, stat + CTIME, contentSum);
  crc = crc32(bytes, stat + PZXID, stat + PZXID + 8, crc);
  return crc32(bytes, stat + CTIME, stat + PZXID, crc);
}

const UNCOUNTED_BYTES = [...Buffer.from(UNCOUNTED)];

/** As `isDigested`, without a string. */
function isCounted({ bytes, start, pathEnd }: NodePlace): boolean {
  const begins = start + 4;
  if (pathEnd < begins + UNCOUNTED_BYTES.length) return true;
  return UNCOUNTED_BYTES.some((byte, i) => bytes[begins + i] !== byte);
}

/** Sets the CRC-32 of path and data, and the digest; both are 0 if the znode does not count. */
export function sumPlace(place: NodePlace, pathSum: number, to: Uint32Array, at: number): void {
  const doesCount = isCounted(place);
  const contentSum = doesCount ? placeCrc(place, pathSum) : 0;
  to[at] = contentSum;
  to[at + 1] = doesCount ? placeDigest(place, contentSum) : 0;
}
