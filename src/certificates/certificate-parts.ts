/** Parts of a certificate that X509Certificate of Node.js does not offer as bytes. */
import {
  type DerItem,
  DerTag,
  expectItem,
  expectItems,
  readItem,
  readItems,
  readOid,
} from './der-reader.js';

export interface CertificateParts {
  /** The content of the INTEGER. */
  readonly serial: Buffer;
  /** The names of issuer and subject in DER. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** The bits of the public key, which an OCSP responder hashes. */
  readonly keyBits: Buffer;
  /** Their contents by OID. */
  readonly extensions: ReadonlyMap<string, Buffer>;
}

const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const URI_TAG = 0x86;
const ACCESS_TO_OCSP = '1.3.6.1.5.5.7.48.1';
const INFORMATION_ACCESS = '1.3.6.1.5.5.7.1.1';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const KEY_USAGE = '2.5.29.15';
const MAY_SIGN_LISTS = 0x02;

/** @param certificate X.509 in DER @throws DerError */
export function certificateParts(certificate: Buffer): CertificateParts {
  const content = expectItems(readItems(readItem(certificate).content), 0, DerTag.SEQUENCE);
  // Version 1 omits version [0]; then serial, signature, issuer, validity, subject, key.
  const fields = content[0]?.tag === VERSION_TAG ? content.slice(1) : content;
  const keyInfo = expectItems(fields, 5, DerTag.SEQUENCE);
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS_TAG);
  return {
    serial: expectItem(fields, 0, DerTag.INTEGER).content,
    issuer: expectItem(fields, 2, DerTag.SEQUENCE).whole,
    subject: expectItem(fields, 4, DerTag.SEQUENCE).whole,
    keyBits: bitsOf(expectItem(keyInfo, 1, DerTag.BIT_STRING)),
    extensions: byId(extensions === undefined ? [] : extensionsOf(readItem(extensions.content))),
  };
}

export interface Extension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly content: Buffer;
}

/** @param list the SEQUENCE of them @throws DerError */
export function extensionsOf(list: DerItem): readonly Extension[] {
  return expectItems([list], 0, DerTag.SEQUENCE).map((extension) => {
    const parts = readItems(extension.content);
    const [, flag] = parts;
    return {
      id: readOid(expectItem(parts, 0, DerTag.OID)),
      isCritical: flag?.tag === DerTag.BOOLEAN && flag.content[0] !== 0,
      content: expectItem(parts, parts.length - 1, DerTag.OCTET_STRING).content,
    };
  });
}

function byId(extensions: readonly Extension[]): ReadonlyMap<string, Buffer> {
  return new Map(extensions.map(({ id, content }) => [id, content]));
}

/** The bytes of a BIT STRING without its count of unused bits. */
export function bitsOf({ content }: DerItem): Buffer {
  return content.subarray(1);
}

/** The first responder that speaks HTTP. @throws DerError */
export function ocspUrl({ extensions }: CertificateParts): string | undefined {
  const access = extensions.get(INFORMATION_ACCESS);
  if (access === undefined) return undefined;
  for (const description of readItems(readItem(access).content)) {
    const [method, place] = readItems(description.content);
    if (method === undefined || place?.tag !== URI_TAG) continue;
    if (readOid(method) !== ACCESS_TO_OCSP) continue;
    const url = place.content.toString('latin1');
    if (/^http:\/\//i.test(url)) return url;
  }
  return undefined;
}

/** Whether the extended key usage names that purpose. @throws DerError */
export function hasPurpose({ extensions }: CertificateParts, purpose: string): boolean {
  const usage = extensions.get(EXTENDED_KEY_USAGE);
  return (
    usage !== undefined &&
    readItems(readItem(usage).content).some((oid) => readOid(oid) === purpose)
  );
}

/** Whether the key usage, if there is one, allows it to sign revocation lists. @throws DerError */
export function maySignLists({ extensions }: CertificateParts): boolean {
  const usage = extensions.get(KEY_USAGE);
  if (usage === undefined) return true;
  const [first = 0] = bitsOf(expectItem([readItem(usage)], 0, DerTag.BIT_STRING));
  return (first & MAY_SIGN_LISTS) !== 0;
}
