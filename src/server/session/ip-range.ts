/** An address of an `ip` ACL: its bytes, and how many leading bits count. */
export interface IpRange {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** Reads "a.b.c.d", "x:y::z", either with "/bits"; undefined when it is none. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', bitsText, ...surplus] = text.split('/');
  const bytes = parseIp(address);
  if (bytes === undefined || surplus.length > 0) return undefined;
  const maxBits = bytes.length * 8;
  if (bitsText === undefined) return { bytes, bits: maxBits };
  const bits = Number(bitsText);
  return /^\d+$/.test(bitsText) && bits <= maxBits ? { bytes, bits } : undefined;
}

/** Is the address `ip` within the range that an ACL names? */
export function matchesIp(ip: string, aclId: string): boolean {
  const range = parseIpRange(aclId);
  const bytes = parseIp(ip);
  if (range === undefined || bytes === undefined || bytes.length !== range.bytes.length)
    return false;
  for (let i = 0, left = range.bits; left > 0; i++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if ((((bytes[i] ?? 0) ^ (range.bytes[i] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

function parseIp(text: string): number[] | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [
    ...head,
    ...new Array<string>(halves.length === 2 ? missing : 0).fill('0'),
    ...tail,
  ];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
