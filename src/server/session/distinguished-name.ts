/** The names that Java's X500Principal reads without an OID. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'CN C L S ST O OU T IP STREET DC DNQUALIFIER DNQ SURNAME GIVENNAME INITIALS GENERATION ' +
    'EMAIL EMAILADDRESS UID SERIALNUMBER'
  ).split(' '),
);

/** One `type=value`: in quotes, in hex, or plain with special characters escaped. */
const ATTRIBUTE =
  /^\s*([A-Za-z][A-Za-z0-9]*|(?:OID\.)?\d+(?:\.\d+)+)\s*=\s*(?:"(?:[^"\\]|\\.)*"|#((?:[0-9a-fA-F]{2})+)|(?:[^",;+<>#\\=]|\\.|=)(?:[^",;+<>\\]|\\.)*|)\s*$/i;

/**
 * Is it what an ACL of the scheme x509 may name: RDNs between `,` (or `;`), attributes of one RDN
 * between `+`? An empty name is one too (X500Principal takes it).
 */
export function isDistinguishedName(text: string): boolean {
  if (text.trim() === '') return true;
  return attributesOf(text).every((attribute) => {
    const [, type, hex] = ATTRIBUTE.exec(attribute) ?? [];
    if (type === undefined || (hex !== undefined && !isDerValue(hex))) return false;
    return /\d/.test(type) || KEYWORDS.has(type.toUpperCase());
  });
}

/** Does the second byte tell how many are to come? Lengths from 128 up, in several bytes, pass. */
function isDerValue(hex: string): boolean {
  const bytes = Buffer.from(hex, 'hex');
  const length = bytes[1];
  return length !== undefined && (length >= 0x80 || length === bytes.length - 2);
}

/** Splits at separators that neither quotes nor a backslash keep. */
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
