/** A small DER encoder: enough of ASN.1 for certificates. */

export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => der(0x31, ...items);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  der(0x03, Buffer.from([unused]), content);
export const bool = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, 'utf8'));
export const ia5 = (text: string): Buffer => der(0x16, Buffer.from(text, 'latin1'));
/** `[number]` around the content. */
export const tagged = (number: number, ...items: readonly Uint8Array[]): Buffer =>
  der(0xa0 | number, ...items);

export function integer(value: number): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  // A leading 1 bit would make it negative.
  return (bytes[0] ?? 0) < 0x80 ? der(0x02, bytes) : der(0x02, Buffer.from([0]), bytes);
}

/** @param dotted "2.5.4.3" */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.from(bytes));
}

/** UTCTime, for the years 1950 to 2049. */
export function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`, 'latin1'));
}

export function pem(label: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
