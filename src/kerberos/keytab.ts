/** The keys of a service: a keytab in MIT's format 0x0502, as `ktutil` and `kadmin` write it. */

import type { KerberosKey } from './encryption.js';
import { KerberosError } from './kerberos-error.js';

export interface KeytabEntry {
  /** "zookeeper/host@REALM" */
  readonly principal: string;
  /** The version of the key (kvno). */
  readonly version: number;
  readonly key: KerberosKey;
}

const FORMAT = 0x0502;

/** @throws KerberosError */
export function parseKeytab(bytes: Buffer): KeytabEntry[] {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== FORMAT) {
    throw new KerberosError('not a keytab (expected format 0x0502)');
  }
  const entries: KeytabEntry[] = [];
  try {
    for (let at = 2; at + 4 <= bytes.length; ) {
      const size = bytes.readInt32BE(at);
      at += 4;
      if (size > 0) entries.push(readEntry(bytes.subarray(at, at + size)));
      // A negative size is a hole that a removed entry left.
      if (size === 0) break;
      at += Math.abs(size);
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new KerberosError('damaged keytab: an entry ends too early', { cause });
  }
  return entries;
}

function readEntry(entry: Buffer): KeytabEntry {
  let at = 0;
  const short = (): number => {
    at += 2;
    return entry.readUInt16BE(at - 2);
  };
  const counted = (): Buffer => {
    const length = short();
    const start = at;
    at += length;
    if (at > entry.length) throw new RangeError('the entry is too short');
    return entry.subarray(start, at);
  };
  const components = short();
  const realm = counted().toString('utf8');
  const names = Array.from({ length: components }, () => counted().toString('utf8'));
  at += 8; // type of the name, and time
  const shortVersion = entry.readUInt8(at++);
  const enctype = short();
  const key = { enctype, bytes: Buffer.from(counted()) };
  const longVersion = entry.length - at >= 4 ? entry.readUInt32BE(at) : 0;
  return {
    principal: `${names.join('/')}@${realm}`,
    version: longVersion === 0 ? shortVersion : longVersion,
    key,
  };
}
