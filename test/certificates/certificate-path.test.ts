import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type PeerCertificate, pathToTrusted } from '../../src/certificates/certificate-path.js';
import { type Credentials, makeAuthority } from '../support/tls/certs.js';

/** As Node.js shows what a peer sent. */
function sent(...chain: readonly { readonly cert: string }[]): PeerCertificate {
  const [own, ...rest] = chain;
  assert.ok(own);
  const { raw } = new X509Certificate(own.cert);
  return rest.length === 0 ? { raw } : { raw, issuerCertificate: sent(...rest) };
}

/** The subjects of the certificates below the trusted one. */
function path(
  chain: readonly { readonly cert: string }[],
  ...trusted: readonly { readonly cert: string }[]
): readonly string[] | undefined {
  const found = pathToTrusted(
    sent(...chain),
    trusted.map(({ cert }) => new X509Certificate(cert)),
  );
  return found?.map(({ certificate, issuer }) => `${certificate.subject} < ${issuer.subject}`);
}

const named = (name: string) => ({ subject: [[['CN', name]]] as const });

test('a path ends at the first trusted certificate', () => {
  const root = makeAuthority('Root');
  const below = root.subordinate('Below');
  const one = below.issue(named('one'));
  assert.equal(path([one, below, root], root), ['CN=one < CN=Below', 'CN=Below < CN=Root']);
  assert.equal(path([one, below], root), ['CN=one < CN=Below', 'CN=Below < CN=Root']);
  assert.equal(path([one, below], root, below), ['CN=one < CN=Below']);
  assert.equal(path([one], below), ['CN=one < CN=Below']);
  assert.equal(path([one, below], root, one), []);
  assert.is(path([one], root), undefined);
  assert.is(path([one, below, root], makeAuthority('Other')), undefined);
  assert.is(path([root], makeAuthority('Root')), undefined);
});

test('another certificate with the name of the issuer is not the issuer', () => {
  const root = makeAuthority('Root');
  const one = root.issue(named('one'));
  const impostor = makeAuthority('Root');
  assert.is(path([one, impostor], impostor), undefined);
  assert.equal(path([one, impostor], root), ['CN=one < CN=Root']);
});

test('a certificate that may not issue others ends no path', () => {
  const root = makeAuthority('Root');
  const client: Credentials = root.issue(named('Root'));
  const one = root.within(client).issue(named('one'));
  assert.is(path([one, client], root), undefined);
  assert.is(path([one], client), undefined);
});

test.run();
