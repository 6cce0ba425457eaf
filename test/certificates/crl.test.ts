import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CrlError,
  checkListed,
  listPlaces,
  readRevocationList,
} from '../../src/certificates/crl.js';
import { bool, der, integer, sequence } from '../support/bytes/der.js';
import {
  type Authority,
  type Credentials,
  daysFromNow,
  extension,
  makeAuthority,
  pointName,
} from '../support/tls/certs.js';

const HERE = 'http://lists.example/ca.crl';

/** "good", or the reason. */
function verdict(
  authority: Authority,
  own: Pick<Credentials, 'cert'>,
  bytes: Buffer,
  now?: number,
) {
  const [certificate, issuer] = [
    new X509Certificate(own.cert),
    new X509Certificate(authority.cert),
  ];
  try {
    const list = readRevocationList(bytes, issuer);
    checkListed(list, certificate, listPlaces(certificate), now);
    return 'good';
  } catch (error) {
    assert.instance(error, CrlError, String(error));
    return (error as Error).message;
  }
}

test('a list says which certificates are revoked, in its time', () => {
  const authority = makeAuthority();
  const [one, gone, last] = [authority.issue(), authority.issue(), authority.issue()];
  const bytes = authority.list({ revoked: [gone, last] });
  assert.is(verdict(authority, one, bytes), 'good');
  assert.match(verdict(authority, gone, bytes), /^revoked since 20\d\d-/);
  assert.match(verdict(authority, last, bytes), /^revoked since 20\d\d-/);
  assert.is(verdict(authority, one, authority.list()), 'good');
  const day = 86_400_000;
  assert.is(verdict(authority, one, bytes, Date.now() + 1.1 * day), 'the list is stale');
  assert.is(verdict(authority, one, bytes, Date.now() + day + 60_000), 'good');
  assert.is(verdict(authority, one, bytes, Date.now() - 1.1 * day), 'the list is not valid yet');
  assert.is(
    verdict(authority, one, authority.list({ nextUpdate: null })),
    'the list does not say when the next one comes',
  );
});

test('only the issuer itself may sign a list', () => {
  const authority = makeAuthority();
  const one = authority.issue();
  const OTHER = 'the list is of another issuer';
  assert.is(verdict(authority, one, makeAuthority('Other').list()), OTHER);
  assert.is(verdict(authority, one, makeAuthority().list()), 'the signature of the list is wrong');
  // Without cRLSign among its key usages.
  const mute = authority.subordinate('Mute CA', { isMute: true });
  assert.is(verdict(mute, mute.issue(), mute.list()), 'the issuer may not sign lists');
});

test('a part of a list, or one with rules that are not known, is refused', () => {
  const authority = makeAuthority();
  const one = authority.issue({ crlUrls: ['ldap://lists.example/ca', HERE] });
  const reason = (...extensions: Buffer[]) =>
    verdict(authority, one, authority.list({ extensions }));
  const point = (...fields: Buffer[]) => extension('2.5.29.28', true, sequence(...fields));
  const yes = Buffer.from([0xff]);
  assert.is(reason(extension('2.5.29.20', false, integer(7))), 'good');
  assert.is(reason(extension('2.5.29.27', true, integer(1))), 'the list is only a part (a delta)');
  assert.is(reason(extension('2.5.29.27', false, integer(1))), 'the list is only a part (a delta)');
  assert.match(reason(extension('1.2.3', true, integer(1))), 'unknown critical extension: 1.2.3');
  assert.is(reason(extension('1.2.3', false, integer(1))), 'good');
  assert.is(reason(point(pointName([HERE]))), 'good');
  assert.is(reason(point(der(0x81, yes))), 'good');
  assert.is(reason(point(der(0x82, Buffer.from([0])))), 'good');
  const ELSEWHERE = 'the list is about other certificates';
  assert.is(reason(point(der(0x82, yes))), ELSEWHERE);
  assert.is(reason(point(pointName(['http://lists.example/other.crl']))), ELSEWHERE);
  for (const tag of [0x83, 0x84, 0x85]) {
    assert.is(reason(point(der(tag, yes))), 'the list is indirect, or only for some reasons');
  }
  const gone = authority.issue();
  const listed = (isCritical: boolean) =>
    verdict(
      authority,
      gone,
      authority.list({
        revoked: [gone],
        entryExtensions: [extension('2.5.29.29', isCritical, sequence(bool(true)))],
      }),
    );
  assert.match(listed(true), 'unknown critical extension: 2.5.29.29');
  assert.match(listed(false), /^revoked since /);
});

test('a certificate names the places of its lists, without those of other issuers', () => {
  const authority = makeAuthority();
  const places = (options: object) =>
    listPlaces(new X509Certificate(authority.issue(options).cert));
  assert.equal(places({}), []);
  assert.equal(places({ crlUrls: [HERE, 'ldap://x'] }), [HERE, 'ldap://x']);
});

test('damaged bytes give a reason and never a verdict', () => {
  const authority = makeAuthority();
  const [one, gone] = [authority.issue(), authority.issue()];
  const bytes = authority.list({ revoked: [gone], nextUpdate: daysFromNow(2) });
  for (let length = 0; length < bytes.length; length++) {
    assert.not.match(verdict(authority, one, bytes.subarray(0, length)), /^good/);
  }
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x01;
    assert.not.match(verdict(authority, one, changed), /^good/, `byte ${at}`);
  }
  assert.match(
    verdict(authority, one, Buffer.concat([bytes, Buffer.from([0])])),
    'has bytes after its end',
  );
});

test.run();
