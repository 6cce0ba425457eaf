export type Form = 'text' | 'json' | 'hex' | 'image';

const MAX_HEX_BYTES = 64 * 1024;

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Undefined if it is not UTF-8, or has control characters other than white space. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /(?!\s)\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Undefined unless it is an object or an array. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const IMAGES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
] as const;

export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return IMAGES.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0];
}

/** The best first. */
export function formsOf(bytes: Uint8Array): readonly Form[] {
  const text = textOf(bytes);
  if (imageTypeOf(bytes) !== undefined) return ['image', 'hex'];
  if (text === undefined) return ['hex'];
  return jsonOf(text) === undefined ? ['text', 'hex'] : ['json', 'text', 'hex'];
}

export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MAX_HEX_BYTES); at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const chars = row.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${chars.join('')}`);
  }
  if (bytes.length > MAX_HEX_BYTES) lines.push(`… and ${bytes.length - MAX_HEX_BYTES} bytes more`);
  return lines.join('\n');
}
