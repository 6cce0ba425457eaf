/** The attribute names that Java's X500Principal accepts. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'CN C L S ST O OU T IP STREET DC DNQUALIFIER DNQ SURNAME GIVENNAME INITIALS GENERATION ' +
    'EMAIL EMAILADDRESS UID SERIALNUMBER'
  ).split(' '),
);

/**
 * One `type=value`: quoted, in hex, or plain with escaped special characters. Blanks match in one
 * way only, or many of them would take cubic time: `(?!\s)` lets none begin a value, and a plain
 * value contains those after it.
 */
const ATTRIBUTE =
  /^\s*([A-Za-z][A-Za-z0-9]*|(?:OID\.)?\d+(?:\.\d+)+)\s*=\s*(?!\s)(?:"(?:[^"\\]|\\.)*"\s*|#((?:[0-9a-fA-F]{2})+)|(?:[^",;+<>#\\=]|\\.|=)(?:[^",;+<>\\]|\\.)*|)$/i;

/** RDNs separated by `,` or `;`, attributes of one RDN by `+`; or nothing (X500Principal). */
export function isDistinguishedName(text: string): boolean {
  if (text.trim() === '') return true;
  return attributesOf(text).every((attribute) => {
    const [, type, hex] = ATTRIBUTE.exec(attribute) ?? [];
    if (type === undefined || (hex !== undefined && !isDerValue(hex))) return false;
    return /\d/.test(type) || KEYWORDS.has(type.toUpperCase());
  });
}

/** Checks the length in the second byte. Lengths from 128, in several bytes, are accepted. */
function isDerValue(hex: string): boolean {
  const bytes = Buffer.from(hex, 'hex');
  const length = bytes[1];
  return length !== undefined && (length >= 0x80 || length === bytes.length - 2);
}

/** Splits at separators that are neither quoted nor escaped. */
function attributesOf(text: string): string[] {
  const attributes: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character === '\\') i++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && ',;+'.includes(character)) {
      attributes.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...attributes, text.slice(start)];
}
