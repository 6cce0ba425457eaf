import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { certificateParts } from '../../../src/certificates/certificate-parts.js';
import { checkOcspResponse, OcspError } from '../../../src/certificates/ocsp-message.js';
import { bits, der, octets, oid, sequence, tagged } from '../../support/bytes/der.js';
import { makeAuthority } from '../../support/tls/certs.js';
import { parseOrRefuse, type Target } from '../target.js';

const authority = makeAuthority();
const certificate = new X509Certificate(authority.issue({ names: ['localhost'] }).cert);
const issuer = new X509Certificate(authority.cert);
const key = createPrivateKey(authority.key);
const question = { certificate, issuer, nonce: Buffer.alloc(16, 1) };

const sha1 = (bytes: Buffer) => octets(createHash('sha1').update(bytes).digest());
const timeAt = (ms: number) =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

/** What a responder signs, with this status of the certificate. */
function dataOf(status: Buffer): Buffer {
  const { serial, issuer: name } = certificateParts(certificate.raw);
  const { subject, keyBits } = certificateParts(issuer.raw);
  const algorithm = sequence(oid('1.3.14.3.2.26'), der(0x05));
  const certId = sequence(algorithm, sha1(name), sha1(keyBits), der(0x02, serial));
  const [before, after] = [timeAt(Date.now() - 60_000), timeAt(Date.now() + 3_600_000)];
  const single = sequence(certId, status, before, tagged(0, after));
  const nonce = sequence(oid('1.3.6.1.5.5.7.48.1.2'), octets(octets(question.nonce)));
  const responder = tagged(1, subject);
  return sequence(responder, before, sequence(single), tagged(1, sequence(nonce)));
}

/** A response with a right signature of these bytes. */
function signed(data: Buffer): Buffer {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const basic = sequence(data, algorithm, bits(sign('sha256', data, key)));
  const bytes = sequence(oid('1.3.6.1.5.5.7.48.1.1'), octets(basic));
  return sequence(der(0x0a, Buffer.from([0])), tagged(0, bytes));
}

/** Each input is what the responder signs, and the whole response of a stranger. */
export const ocspResponses: Target = {
  name: 'ocsp-responses',
  seeds: () => {
    const revoked = der(0xa1, timeAt(Date.now() - 60_000));
    const all = [der(0x80), revoked, der(0x82)].map(dataOf);
    return [...all, ...all.map(signed)];
  },
  words: [oid('1.3.6.1.5.5.7.48.1.2'), Buffer.from('300a', 'hex'), Buffer.from('a0', 'hex')],
  run: (input) => {
    parseOrRefuse(() => checkOcspResponse(question, Buffer.from(input)), OcspError);
    parseOrRefuse(() => checkOcspResponse(question, signed(Buffer.from(input))), OcspError);
  },
};
