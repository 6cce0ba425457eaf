/** Key stores and trust stores: PEM, PKCS #12, or JKS, converted to PEM for Node. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadCrypto } from '../base/load-on-demand.js';
import { JKS_MAGIC, JksError, type JksStore, readJks } from './jks.js';
import { Pkcs12Error, readPkcs12 } from './pkcs12.js';

export type StoreType = '' | 'JKS' | 'PEM' | 'PKCS12' | 'BCFKS';

export interface StoreFile {
  /** The file, or the name of the given content in errors. */
  readonly location: string;
  /** Default: read from the file. */
  readonly content?: Uint8Array;
  readonly password: string;
  /** '' detects it from the content. */
  readonly type: StoreType;
}

/** PEM texts. */
export interface KeyStore {
  readonly key: string;
  /** The server's certificate, then its issuers. */
  readonly chain: string;
}

export interface TrustStore {
  readonly certificates: readonly string[];
  readonly revocationLists: readonly string[];
}

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code = 'ESTORE';
}

/** @throws StoreError */
export function readKeyStore(store: StoreFile): KeyStore {
  const { location, password } = store;
  const bytes = contentOf(store);
  const form = formOf(store, bytes);
  if (form === 'PEM') return keyStoreOfPem(location, bytes.toString(), password);
  const { keys, certificates } = openJava(form, location, bytes, password);
  const [key] = keys;
  if (key === undefined) throw new StoreError(`${location}: has no private key`);
  return { key: pemOfKey(key), chain: chainOf(location, key, certificates.map(parsed(location))) };
}

export function readTrustStore(store: StoreFile): TrustStore {
  const { location, password } = store;
  const bytes = contentOf(store);
  const form = formOf(store, bytes);
  const isPem = form === 'PEM';
  const certificates = isPem
    ? blocksOf(bytes.toString(), 'CERTIFICATE')
    : openJava(form, location, bytes, password).trusted;
  if (certificates.length === 0) throw new StoreError(`${location}: has no certificate to trust`);
  return {
    certificates: certificates.map(parsed(location)).map(String),
    revocationLists: isPem ? blocksOf(bytes.toString(), 'X509 CRL') : [],
  };
}

function contentOf({ location, content }: StoreFile): Buffer {
  if (content === undefined) return readStoreFile(location);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** Without its last line end. @throws StoreError */
export function readPasswordFile(path: string): string {
  return readStoreFile(path)
    .toString()
    .replace(/\r?\n$/, '');
}

function readStoreFile(location: string): Buffer {
  try {
    return readFileSync(location);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(`${location}: cannot read: ${why}`, { cause });
  }
}

const JCEKS_MAGIC = 0xcececece;

type Form = 'PEM' | 'PKCS12' | 'JKS';

function formOf({ location, type }: StoreFile, bytes: Buffer): Form {
  const magic = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  if (type === 'BCFKS' || magic === JCEKS_MAGIC) {
    const name = type === 'BCFKS' ? 'BCFKS' : 'JCEKS';
    throw new StoreError(
      `${location}: is a ${name} store, which only Java reads: convert it to PKCS12 with` +
        ` keytool -importkeystore -srckeystore ${location} -destkeystore store.p12 -deststoretype PKCS12`,
    );
  }
  const found = foundForm(bytes, magic);
  if (found === undefined) {
    throw new StoreError(`${location}: is neither PEM nor PKCS12 nor JKS`);
  }
  // Java, too, reads either of its formats by the name of the other.
  if (type !== '' && (type === 'PEM') !== (found === 'PEM')) {
    throw new StoreError(`${location}: is ${found} (expected ${type}, its configured type)`);
  }
  return found;
}

function foundForm(bytes: Buffer, magic: number): Form | undefined {
  if (magic === JKS_MAGIC) return 'JKS';
  if (bytes.includes('-----BEGIN ')) return 'PEM';
  return bytes[0] === 0x30 ? 'PKCS12' : undefined;
}

function openJava(
  form: 'PKCS12' | 'JKS',
  location: string,
  bytes: Buffer,
  password: string,
): JksStore {
  try {
    if (form === 'JKS') return readJks(bytes, password);
    const store = readPkcs12(bytes, password);
    return { ...store, trusted: store.certificates };
  } catch (cause) {
    if (!(cause instanceof Pkcs12Error) && !(cause instanceof JksError)) throw cause;
    throw new StoreError(`${location}: ${cause.message}`, { cause });
  }
}

function keyStoreOfPem(location: string, text: string, password: string): KeyStore {
  const block = /-----BEGIN ((?:[A-Z]+ )*PRIVATE KEY)-----[\s\S]*?-----END \1-----/.exec(text)?.[0];
  if (block === undefined) throw new StoreError(`${location}: has no private key`);
  const key = privateKeyOf(location, block, password);
  const certificates = blocksOf(text, 'CERTIFICATE').map(parsed(location));
  return { key: pemOfKey(key), chain: chainOf(location, key, certificates) };
}

function privateKeyOf(location: string, block: string, passphrase: string): KeyObject {
  const isEncrypted = block.includes('ENCRYPTED');
  if (isEncrypted && passphrase === '') {
    throw new StoreError(`${location}: its key needs a password, which is missing`);
  }
  try {
    return loadCrypto().createPrivateKey(isEncrypted ? { key: block, passphrase } : block);
  } catch (cause) {
    const why = isEncrypted ? 'its password is wrong, or it is damaged' : 'it is damaged';
    throw new StoreError(`${location}: cannot read its key: ${why}`, { cause });
  }
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function blocksOf(text: string, label: string): string[] {
  const pattern = new RegExp(`-----BEGIN ${label}-----[\\s\\S]*?-----END ${label}-----`, 'g');
  return text.match(pattern) ?? [];
}

function parsed(location: string): (certificate: string | Buffer) => X509Certificate {
  return (certificate) => {
    try {
      return new (loadCrypto().X509Certificate)(certificate);
    } catch (cause) {
      throw new StoreError(`${location}: has a damaged certificate`, { cause });
    }
  };
}

/** The key's certificate, then the issuers that the store has. */
function chainOf(
  location: string,
  key: KeyObject,
  certificates: readonly X509Certificate[],
): string {
  const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (own === undefined) throw new StoreError(`${location}: has no certificate for its key`);
  const chain = [own];
  for (let last: X509Certificate | undefined = own; last !== undefined; ) {
    const child: X509Certificate = last;
    last = certificates.find((other) => !chain.includes(other) && child.checkIssued(other));
    if (last !== undefined) chain.push(last);
  }
  return chain.map(String).join('');
}
