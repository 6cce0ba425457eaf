/**
 * The subject of a certificate as Java's X500Principal.getName() writes it (RFC 2253), for ids of
 * the scheme x509. Last RDN first; attributes without a name are an OID and the value in hex.
 */
import type { DerItem } from '../../../certificates/der-reader.js';
import {
  DerTag,
  expectItem,
  expectItems,
  readItem,
  readItems,
  readOid,
} from '../../../certificates/der-reader.js';

const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.9', 'STREET'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
]);

const TEXTS: ReadonlySet<number> = new Set([
  DerTag.UTF8_STRING,
  DerTag.PRINTABLE_STRING,
  DerTag.T61_STRING,
  DerTag.IA5_STRING,
  DerTag.GENERAL_STRING,
  DerTag.UNIVERSAL_STRING,
  DerTag.BMP_STRING,
]);

/** @param certificate X.509 in DER @throws DerError */
export function certificateSubject(certificate: Buffer): string {
  const parts = readItems(readItem(certificate).content);
  const content = expectItems(parts, 0, DerTag.SEQUENCE);
  // Version 1 omits version [0]; then serial, signature, issuer, validity, subject.
  const subjectAt = content[0]?.tag === 0xa0 ? 5 : 4;
  const rdns = expectItems(content, subjectAt, DerTag.SEQUENCE);
  return rdns.reverse().map(rdnText).join(',');
}

function rdnText(rdn: DerItem): string {
  return readItems(rdn.content).map(attributeText).join('+');
}

function attributeText(attribute: DerItem): string {
  const parts = readItems(attribute.content);
  const oid = readOid(expectItem(parts, 0, DerTag.OID));
  const value = parts[1] ?? { tag: 0, content: Buffer.alloc(0), whole: Buffer.alloc(0) };
  const keyword = KEYWORDS.get(oid);
  if (keyword === undefined || !TEXTS.has(value.tag)) {
    return `${keyword ?? oid}=#${value.whole.toString('hex')}`;
  }
  return `${keyword}=${escaped(value.content.toString('utf8'))}`;
}

function escaped(text: string): string {
  const marked = text.replace(/[,=+<>#;"\\]/g, '\\$&').replaceAll('\0', '\\00');
  return marked
    .replace(/^ +/, (blanks) => '\\ '.repeat(blanks.length))
    .replace(/ +$/, (blanks) => '\\ '.repeat(blanks.length));
}
