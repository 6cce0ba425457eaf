/**
 * Leading zeros are decimal, as in Java, which `ipaddr.js` and `net.BlockList` refuse. Refuses a
 * zone and IPv4 within IPv6.
 */
export function parseIp(text: string): readonly number[] | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): number[] | undefined {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) ? javaBytes(text) : undefined;
}

/** Each part as Integer.parseInt takes it: with a sign and any number of zeros. */
function javaBytes(text: string): number[] | undefined {
  const bytes = text.split('.').map((part) => javaInteger(part) ?? 256);
  return bytes.length === 4 && bytes.every((byte) => byte >= 0 && byte <= 255) ? bytes : undefined;
}

function javaInteger(text: string): number | undefined {
  // Adding 0 makes 0 of -0.
  return /^[+-]?\d+$/.test(text) ? Number(text) + 0 : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...head, ...new Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff]);
}

/** Java's format: IPv6 with all eight groups. */
export function formatIp(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return (hex.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, '')).join(':');
}

/** The address of an `ip` ACL, and the number of significant bits. */
export interface IpRange {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** In characters. Each request to a znode reads the ranges of its ACL again. */
const MAX_RANGE_LENGTH = 100;

/**
 * Parses "a.b.c.d", "x:y::z", either with "/bits", as Apache's server does; else undefined. Unlike
 * there, a range of a million zeros is invalid.
 */
export function parseIpRange(text: string): IpRange | undefined {
  if (text.length > MAX_RANGE_LENGTH) return undefined;
  const [address = '', bitsText, ...surplus] = text.split('/');
  const bytes = address.includes(':') ? parseIpv6(address) : javaBytes(address);
  if (bytes === undefined || surplus.length > 0) return undefined;
  const maxBits = bytes.length * 8;
  if (bitsText === undefined) return { bytes, bits: maxBits };
  const bits = javaInteger(bitsText) ?? -1;
  return bits >= 0 && bits <= maxBits ? { bytes, bits } : undefined;
}

export function matchesIp(ip: string, aclId: string): boolean {
  const range = parseIpRange(aclId);
  const bytes = parseIp(ip);
  if (range === undefined || bytes?.length !== range.bytes.length) return false;
  return range.bytes.every((byte, i) => {
    const left = Math.min(Math.max(range.bits - 8 * i, 0), 8);
    return (byte ^ (bytes[i] ?? 0)) >> (8 - left) === 0;
  });
}
