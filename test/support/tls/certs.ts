/**
 * Makes certificates for tests in the process: an authority, the certificates it issues, and its
 * revocation lists. Keys use P-256, which is fast to generate.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  bits,
  bool,
  der,
  ia5,
  integer,
  octets,
  oid,
  pem,
  sequence,
  set,
  tagged,
  utcTime,
  utf8,
} from '../bytes/der.js';

/** RDNs in encoded order. One with several attributes has several pairs. */
export type Subject = readonly (readonly (readonly [type: string, value: string | Buffer])[])[];

export interface CertificateOptions {
  /** Default: one CN, the first of `names`. */
  readonly subject?: Subject;
  /** Valid host names and addresses (IPv4, ::1). Default: none. */
  readonly names?: readonly string[];
  /** Extended key usage: only for clients. Default: none, so for everything. */
  readonly isForClientsOnly?: boolean;
  /** Extended key usage: signs the responses of OCSP for its issuer. */
  readonly isForOcsp?: boolean;
  /** The responder of OCSP that it names. */
  readonly ocspUrl?: string;
  /** The places of the revocation list that it names. */
  readonly crlUrls?: readonly string[];
  /** Default: since yesterday. */
  readonly notBefore?: Date;
  /** Default: until tomorrow. */
  readonly notAfter?: Date;
}

/** PEM texts. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
  /** Certificate and key, in the format of a PEM key store. */
  readonly both: string;
  readonly serial: number;
}

export interface Authority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  readonly key: string;
  issue(options?: CertificateOptions): Credentials;
  /** An authority below this one. `isMute`: it may not sign revocation lists. */
  subordinate(
    name: string,
    options?: Pick<CertificateOptions, 'ocspUrl' | 'crlUrls'> & { readonly isMute?: boolean },
  ): Authority & Credentials;
  /** Who signs with that key, in the name of the authority. */
  within(signer: Credentials): Pick<Authority, 'issue'>;
  /** A revocation list, PEM. */
  revoke(...revoked: readonly Credentials[]): string;
  /** A revocation list, DER. */
  list(options?: ListOptions): Buffer;
}

export interface ListOptions {
  readonly revoked?: readonly Credentials[];
  /** Default: yesterday. */
  readonly thisUpdate?: Date;
  /** Default: tomorrow; undefined if null. */
  readonly nextUpdate?: Date | null;
  readonly extensions?: readonly Buffer[];
  /** The extensions of each entry. */
  readonly entryExtensions?: readonly Buffer[];
}

/** The attribute types of a subject. Any other type is an OID. */
const OIDS: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  UID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
};

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
/** extKeyUsage with clientAuth. */
const CLIENTS_ONLY = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.2')));
const OCSP_ONLY = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.9')));
const IS_AUTHORITY = extension('2.5.29.19', true, sequence(bool(true)));
// keyCertSign and cRLSign.
const OF_AUTHORITIES = [IS_AUTHORITY, extension('2.5.29.15', true, bits(Buffer.from([0x06]), 1))];
const OF_MUTE_ONES = [IS_AUTHORITY, extension('2.5.29.15', true, bits(Buffer.from([0x04]), 2))];
const DAY_MS = 86_400_000;
let lastSerial = 0x1000;

export function makeAuthority(name = 'Test CA'): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf([[['CN', name]]]);
  const cert = makeCertificate(pair.publicKey, issuer, issuer, pair.privateKey, {
    serial: ++lastSerial,
    extensions: OF_AUTHORITIES,
  });
  return authorityOf(cert, issuer, pair.privateKey);
}

function authorityOf(cert: string, issuer: Buffer, key: KeyObject): Authority {
  return {
    cert,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    issue: (options = {}) => issue(issuer, key, options),
    subordinate: (name, options = {}) => {
      const subject = [[['CN', name]]] as const;
      const marks = options.isMute === true ? OF_MUTE_ONES : OF_AUTHORITIES;
      const own = issue(issuer, key, { ...options, subject }, marks);
      return { ...own, ...authorityOf(own.cert, nameOf(subject), createPrivateKey(own.key)) };
    },
    within: (signer) => ({
      issue: (options = {}) => issue(issuer, createPrivateKey(signer.key), options),
    }),
    revoke: (...revoked) => pem('X509 CRL', makeRevocationList(issuer, key, { revoked })),
    list: (options = {}) => makeRevocationList(issuer, key, options),
  };
}

function issue(
  issuer: Buffer,
  signer: KeyObject,
  options: CertificateOptions,
  more: readonly Buffer[] = [],
): Credentials {
  const { names = [] } = options;
  const subject = options.subject ?? [[['CN', names[0] ?? 'nobody']]];
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = ++lastSerial;
  const cert = makeCertificate(pair.publicKey, nameOf(subject), issuer, signer, {
    ...options,
    serial,
    extensions: [
      ...(names.length === 0 ? [] : [extension('2.5.29.17', false, alternativeNames(names))]),
      ...(options.isForClientsOnly === true ? [CLIENTS_ONLY] : []),
      ...(options.isForOcsp === true ? [OCSP_ONLY] : []),
      ...(options.ocspUrl === undefined ? [] : [responderAt(options.ocspUrl)]),
      ...(options.crlUrls === undefined ? [] : [listAt(options.crlUrls)]),
      ...more,
    ],
  });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert, key, both: cert + key, serial };
}

function makeCertificate(
  publicKey: KeyObject,
  subject: Buffer,
  issuer: Buffer,
  signer: KeyObject,
  options: {
    readonly serial: number;
    readonly extensions: readonly Buffer[];
    readonly notBefore?: Date;
    readonly notAfter?: Date;
  },
): string {
  const { serial, extensions, notBefore = daysFromNow(-1), notAfter = daysFromNow(90) } = options;
  const content = sequence(
    tagged(0, integer(2)),
    integer(serial),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(utcTime(notBefore), utcTime(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [tagged(3, sequence(...extensions))]),
  );
  return pem('CERTIFICATE', signed(content, signer));
}

function makeRevocationList(issuer: Buffer, signer: KeyObject, options: ListOptions): Buffer {
  const { revoked = [], extensions = [], entryExtensions = [] } = options;
  const { thisUpdate = daysFromNow(-1), nextUpdate = daysFromNow(1) } = options;
  const more = entryExtensions.length === 0 ? [] : [sequence(...entryExtensions)];
  const entries = revoked.map(({ serial }) =>
    sequence(integer(serial), utcTime(daysFromNow(-0.5)), ...more),
  );
  const content = sequence(
    integer(1),
    ECDSA_WITH_SHA256,
    issuer,
    utcTime(thisUpdate),
    ...(nextUpdate === null ? [] : [utcTime(nextUpdate)]),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    ...(extensions.length === 0 ? [] : [tagged(0, sequence(...extensions))]),
  );
  return signed(content, signer);
}

function signed(content: Buffer, signer: KeyObject): Buffer {
  return sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, signer)));
}

function nameOf(subject: Subject): Buffer {
  return sequence(
    ...subject.map((rdn) =>
      set(...rdn.map(([type, value]) => sequence(oid(OIDS[type] ?? type), attributeValue(value)))),
    ),
  );
}

/** Uses the bytes as they are, including the tag. */
function attributeValue(value: string | Buffer): Buffer {
  return typeof value === 'string' ? utf8(value) : value;
}

/** An IA5String, the type of an e-mail address. */
export function ia5Value(text: string): Buffer {
  return ia5(text);
}

function alternativeNames(names: readonly string[]): Buffer {
  return sequence(
    ...names.map((name) =>
      name === '::1'
        ? der(0x87, Buffer.from('00000000000000000000000000000001', 'hex'))
        : isIPv4(name)
          ? der(0x87, Buffer.from(name.split('.').map(Number)))
          : der(0x82, Buffer.from(name, 'latin1')),
    ),
  );
}

/** authorityInfoAccess */
function responderAt(url: string): Buffer {
  const place = der(0x86, Buffer.from(url, 'latin1'));
  return extension(
    '1.3.6.1.5.5.7.1.1',
    false,
    sequence(sequence(oid('1.3.6.1.5.5.7.48.1'), place)),
  );
}

/** cRLDistributionPoints, with one point. */
function listAt(urls: readonly string[]): Buffer {
  return extension('2.5.29.31', false, sequence(sequence(pointName(urls))));
}

/** [0] with the full name of a distribution point. */
export function pointName(urls: readonly string[]): Buffer {
  return tagged(0, tagged(0, ...urls.map((url) => der(0x86, Buffer.from(url, 'latin1')))));
}

export function extension(id: string, isCritical: boolean, content: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [bool(true)] : []), octets(content));
}

export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
