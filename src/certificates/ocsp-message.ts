/** OCSP (RFC 6960): the request for one certificate, and the judgment of the response. */
import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { certificateParts, hasPurpose } from './certificate-parts.js';
import {
  DerError,
  type DerItem,
  DerTag,
  expectItem,
  expectItems,
  readItem,
  readItems,
  readOid,
} from './der-reader.js';
import { writeItem, writeOid } from './der-writer.js';
import { CLOCK_SKEW_MS, digestOf, isSignedBy, readTime, TimeTag } from './signed-message.js';

/** Why a certificate is not known to be good. */
export class OcspError extends Error {
  override readonly name = 'OcspError';
  readonly code = 'EOCSP';
  /** Whether the responder says so. */
  readonly isRevoked: boolean;

  constructor(message: string, options?: ErrorOptions & { readonly isRevoked?: boolean }) {
    super(message, options);
    this.isRevoked = options?.isRevoked === true;
  }
}

export interface OcspQuestion {
  readonly certificate: X509Certificate;
  readonly issuer: X509Certificate;
  readonly nonce: Buffer;
}

const SHA1 = '1.3.14.3.2.26';
const NONCE = '1.3.6.1.5.5.7.48.1.2';
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const NULL_TAG = 0x05;
const ENUMERATED_TAG = 0x0a;

const REFUSALS: readonly string[] = [
  '',
  'cannot read the request',
  'has an internal error',
  'is busy',
  '',
  'requires a signed request',
  'refuses this client',
];

interface CertId {
  readonly nameHash: Buffer;
  readonly keyHash: Buffer;
  readonly serial: Buffer;
}

/** @throws DerError */
export function writeOcspRequest(question: OcspQuestion): Buffer {
  const { nameHash, keyHash, serial } = certIdOf(question);
  const certId = writeItem(
    DerTag.SEQUENCE,
    writeItem(DerTag.SEQUENCE, writeOid(SHA1), writeItem(NULL_TAG)),
    writeItem(DerTag.OCTET_STRING, nameHash),
    writeItem(DerTag.OCTET_STRING, keyHash),
    writeItem(DerTag.INTEGER, serial),
  );
  const requests = writeItem(DerTag.SEQUENCE, writeItem(DerTag.SEQUENCE, certId));
  const nonce = writeItem(DerTag.OCTET_STRING, writeItem(DerTag.OCTET_STRING, question.nonce));
  const extensions = writeItem(DerTag.SEQUENCE, writeItem(DerTag.SEQUENCE, writeOid(NONCE), nonce));
  return writeItem(
    DerTag.SEQUENCE,
    writeItem(DerTag.SEQUENCE, requests, writeItem(0xa2, extensions)),
  );
}

/**
 * Returns if the certificate is good.
 * @returns until when, in ms; undefined if the responder promises no time
 * @throws OcspError with the reason if it is not, or if the response is not to be trusted
 */
export function checkOcspResponse(
  question: OcspQuestion,
  response: Buffer,
  now = Date.now(),
): number | undefined {
  try {
    return judge(question, response, now);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new OcspError(`the response is damaged: it ${cause.message}`, { cause });
  }
}

function judge(question: OcspQuestion, response: Buffer, now: number): number | undefined {
  const basic = openResponse(response);
  const data = expectItem(basic, 0, DerTag.SEQUENCE);
  // The version [0] has a default, which DER leaves out.
  const parts = readItems(data.content);
  const [responder, , list, ...more] = parts[0]?.tag === 0xa0 ? parts.slice(1) : parts;
  if (responder === undefined || list === undefined) throw new DerError('has no response');
  checkSignature(question.issuer, basic, data, responder, now);
  checkNonce(question.nonce, more);
  const expected = certIdOf(question);
  const single = expectItems([list], 0, DerTag.SEQUENCE)
    .map((item) => readItems(item.content))
    .find((items) => isFor(expected, expectItems(items, 0, DerTag.SEQUENCE)));
  if (single === undefined) throw new OcspError('the response is about another certificate');
  return statusOf(single, now);
}

/** The parts of the BasicOCSPResponse. */
function openResponse(response: Buffer): DerItem[] {
  const [status, wrapped] = expectItems([readItem(response)], 0, DerTag.SEQUENCE);
  if (status?.tag !== ENUMERATED_TAG) throw new DerError('has no status');
  const code = status.content[0] ?? 0xff;
  if (code !== 0) throw new OcspError(`the responder ${REFUSALS[code] || `answers ${code}`}`);
  const bytes = expectItems(wrapped === undefined ? [] : [wrapped], 0, 0xa0);
  const [type, content] = expectItems(bytes, 0, DerTag.SEQUENCE);
  if (type === undefined || content === undefined || readOid(type) !== BASIC_RESPONSE) {
    throw new DerError('has an unknown form');
  }
  return expectItems([readItem(content.content)], 0, DerTag.SEQUENCE);
}

function checkSignature(
  issuer: X509Certificate,
  basic: readonly DerItem[],
  data: DerItem,
  responder: DerItem,
  now: number,
): void {
  const digest = digestOf(expectItem(basic, 1, DerTag.SEQUENCE));
  if ('unknown' in digest) throw new OcspError(`unknown signature algorithm: ${digest.unknown}`);
  const signature = expectItem(basic, 2, DerTag.BIT_STRING);
  const sent =
    basic[3]?.tag === 0xa0
      ? expectItems(basic[3] === undefined ? [] : readItems(basic[3].content), 0, DerTag.SEQUENCE)
      : [];
  const delegates = sent.map(certificateOf).filter((one) => mayAnswerFor(issuer, one, now));
  const signer = [issuer, ...delegates].find((one) => isNamed(responder, one));
  if (signer === undefined) throw new OcspError('the responder is not authorized by the issuer');
  if (!isSignedBy(signer.publicKey, digest.digest, data, signature)) {
    throw new OcspError('the signature of the response is wrong');
  }
}

function certificateOf({ whole }: DerItem): X509Certificate {
  try {
    return new X509Certificate(whole);
  } catch {
    throw new DerError('has a damaged certificate');
  }
}

/** The issuer itself must have issued a delegate, for this purpose. */
function mayAnswerFor(issuer: X509Certificate, delegate: X509Certificate, now: number): boolean {
  return (
    hasPurpose(certificateParts(delegate.raw), OCSP_SIGNING) &&
    Date.parse(delegate.validFrom) <= now &&
    now <= Date.parse(delegate.validTo) &&
    delegate.checkIssued(issuer) &&
    delegate.verify(issuer.publicKey)
  );
}

/** @param responder [1] with its name, or [2] with the hash of its key */
function isNamed(responder: DerItem, { raw }: X509Certificate): boolean {
  const { subject, keyBits } = certificateParts(raw);
  if (responder.tag === 0xa1) return responder.content.equals(subject);
  const hash = expectItem(readItems(responder.content), 0, DerTag.OCTET_STRING);
  return responder.tag === 0xa2 && hash.content.equals(sha1(keyBits));
}

/** Responders may leave the nonce out, but not change it. */
function checkNonce(nonce: Buffer, parts: readonly DerItem[]): void {
  const extensions = parts.find(({ tag }) => tag === 0xa1);
  for (const extension of extensions === undefined
    ? []
    : expectItems(readItems(extensions.content), 0, DerTag.SEQUENCE)) {
    const items = readItems(extension.content);
    if (readOid(expectItem(items, 0, DerTag.OID)) !== NONCE) continue;
    const { content } = readItem(expectItem(items, items.length - 1, DerTag.OCTET_STRING).content);
    if (content.length === nonce.length && timingSafeEqual(content, nonce)) continue;
    throw new OcspError('the response is for another request');
  }
}

function isFor({ nameHash, keyHash, serial }: CertId, certId: readonly DerItem[]): boolean {
  const algorithm = expectItem(expectItems(certId, 0, DerTag.SEQUENCE), 0, DerTag.OID);
  return (
    readOid(algorithm) === SHA1 &&
    expectItem(certId, 1, DerTag.OCTET_STRING).content.equals(nameHash) &&
    expectItem(certId, 2, DerTag.OCTET_STRING).content.equals(keyHash) &&
    expectItem(certId, 3, DerTag.INTEGER).content.equals(serial)
  );
}

const Status = { GOOD: 0x80, REVOKED: 0xa1 } as const;

function statusOf(single: readonly DerItem[], now: number): number | undefined {
  const [, status, , ...rest] = single;
  const thisUpdate = readTime(expectItem(single, 2, TimeTag.GENERALIZED));
  const next = rest.find(({ tag }) => tag === 0xa0);
  const nextUpdate = next && readTime(expectItem(readItems(next.content), 0, TimeTag.GENERALIZED));
  if (status?.tag === Status.REVOKED) {
    const since = new Date(readTime(expectItem(readItems(status.content), 0, TimeTag.GENERALIZED)));
    throw new OcspError(`revoked since ${since.toISOString()}`, { isRevoked: true });
  }
  if (status?.tag !== Status.GOOD) throw new OcspError('unknown to the responder');
  if (thisUpdate > now + CLOCK_SKEW_MS) throw new OcspError('the response is not valid yet');
  // Without nextUpdate, the responder always has a newer answer than an old one.
  if ((nextUpdate ?? thisUpdate) < now - CLOCK_SKEW_MS)
    throw new OcspError('the response is stale');
  return nextUpdate;
}

function certIdOf({ certificate, issuer }: OcspQuestion): CertId {
  const { serial, issuer: name } = certificateParts(certificate.raw);
  return { nameHash: sha1(name), keyHash: sha1(certificateParts(issuer.raw).keyBits), serial };
}

/** The hash of certificate ids in OCSP; no security rests on it. */
function sha1(bytes: Buffer): Buffer {
  return createHash('sha1').update(bytes).digest();
}
