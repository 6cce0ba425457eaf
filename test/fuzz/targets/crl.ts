import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { CrlError, checkListed, readRevocationList } from '../../../src/certificates/crl.js';
import { readItem, readItems } from '../../../src/certificates/der-reader.js';
import { bits, integer, oid, sequence } from '../../support/bytes/der.js';
import { extension, makeAuthority, pointName } from '../../support/tls/certs.js';
import { parseOrRefuse, type Target } from '../target.js';

const authority = makeAuthority();
const own = authority.issue({ names: ['localhost'] });
const certificate = new X509Certificate(own.cert);
const issuer = new X509Certificate(authority.cert);
const key = createPrivateKey(authority.key);
const HERE = 'http://lists.example/ca.crl';

/** A list with a right signature of these bytes. */
function signed(content: Buffer): Buffer {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  return sequence(content, algorithm, bits(sign('sha256', content, key)));
}

/** Each input is what the authority signs, and the whole list of a stranger. */
export const revocationLists: Target = {
  name: 'revocation-lists',
  seeds: () => {
    const point = extension('2.5.29.28', true, sequence(pointName([HERE])));
    const all = [
      authority.list(),
      authority.list({ revoked: [own, authority.issue()] }),
      authority.list({ extensions: [point, extension('2.5.29.20', false, integer(7))] }),
      authority.list({
        revoked: [own],
        entryExtensions: [extension('2.5.29.21', false, integer(1))],
      }),
    ];
    return all.flatMap((list) => [list, readItems(readItem(list).content)[0]?.whole ?? list]);
  },
  words: [
    oid('2.5.29.27'),
    oid('2.5.29.28'),
    Buffer.from('0101ff', 'hex'),
    Buffer.from('a0', 'hex'),
  ],
  run: (input) => {
    for (const list of [Buffer.from(input), signed(Buffer.from(input))]) {
      parseOrRefuse(
        () => checkListed(readRevocationList(list, issuer), certificate, [HERE]),
        CrlError,
      );
    }
  },
};
