// conformance: runs against Apache's server, too.
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readKeyStore, readTrustStore, StoreError } from '../../src/certificates/key-store.js';
import { readPkcs12 } from '../../src/certificates/pkcs12.js';
import { KEYTOOL, oracleTest } from '../support/apache/oracle.js';
import { integer, octets, oid, sequence, tagged } from '../support/bytes/der.js';
import { makeAuthority } from '../support/tls/certs.js';
import { makeTlsFiles, type TlsFiles } from '../support/tls/tls-world.js';

function withFiles(run: (files: TlsFiles) => void): () => void {
  return () => {
    const files = makeTlsFiles();
    try {
      run(files);
    } finally {
      files.remove();
    }
  };
}

function keytool(files: TlsFiles, ...args: readonly string[]): void {
  execFileSync(KEYTOOL, args, { cwd: files.folder, stdio: 'pipe' });
}

function faultOf(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    assert.instance(error, StoreError);
    return (error as Error).message;
  }
}

test(
  'a chain is sorted, whatever the order of the file',
  withFiles((files) => {
    const { authority, server } = files;
    const other = makeAuthority('Other').issue({ names: ['other'] });
    const text = authority.cert + other.cert + server.key + server.cert;
    const location = files.write('chain.pem', text);
    const { chain } = readKeyStore({ location, password: '', type: '' });
    const expected = [server.cert, authority.cert].map((pem) => String(new X509Certificate(pem)));
    assert.is(chain, expected.join(''));
  }),
);

test(
  'a trust store in PEM gives all certificates and revocation lists',
  withFiles((files) => {
    const second = makeAuthority('Second');
    const text = `text between\n${files.authority.cert}\n${second.cert}${second.revoke()}`;
    const location = files.write('trust.pem', text);
    const store = readTrustStore({ location, password: '', type: 'PEM' });
    assert.is(store.certificates.length, 2);
    assert.is(store.revocationLists.length, 1);
  }),
);

for (const old of [false, true]) {
  // Similar to Java before JDK 17: SHA-1 and three-key DES everywhere.
  const flags = old
    ? [
        '-J-Dkeystore.pkcs12.certProtectionAlgorithm=PBEWithSHA1AndDESede',
        '-J-Dkeystore.pkcs12.macAlgorithm=HmacPBESHA1',
        '-J-Dkeystore.pkcs12.keyProtectionAlgorithm=PBEWithSHA1AndDESede',
      ]
    : [];
  oracleTest(
    `keys and trusted certificates of ${old ? 'an old' : 'a'} PKCS12 store of Java's keytool`,
    withFiles((files) => {
      const common = ['-storetype', 'PKCS12', '-storepass', 'secret-7', ...flags];
      keytool(
        files,
        '-genkeypair',
        ...['-alias', 'own', '-keyalg', 'EC', '-dname', 'CN=java', '-keystore', 'key.p12'],
        ...common,
      );
      keytool(
        files,
        '-importcert',
        ...['-alias', 'ca', '-noprompt', '-file', files.caFile, '-keystore', 'trust.p12'],
        ...common,
      );
      const keyFile = join(files.folder, 'key.p12');
      const store = readKeyStore({ location: keyFile, password: 'secret-7', type: '' });
      const certificate = new X509Certificate(store.chain);
      assert.is(certificate.subject, 'CN=java');
      assert.match(store.key, 'BEGIN PRIVATE KEY');
      const trustFile = join(files.folder, 'trust.p12');
      const trust = readTrustStore({ location: trustFile, password: 'secret-7', type: 'PKCS12' });
      assert.equal(trust.certificates, [String(new X509Certificate(files.authority.cert))]);
      for (const location of [keyFile, trustFile]) {
        const wrong = faultOf(() => readTrustStore({ location, password: 'other', type: '' }));
        assert.is(wrong, `${location}: has a different password`);
      }
    }),
  );
}

oracleTest(
  'a truncated or changed PKCS12 store gives an error text, never a crash',
  withFiles((files) => {
    keytool(
      files,
      '-genkeypair',
      ...['-alias', 'own', '-keyalg', 'EC', '-dname', 'CN=java', '-keystore', 'key.p12'],
      ...['-storetype', 'PKCS12', '-storepass', 'secret'],
    );
    const bytes = readFileSync(join(files.folder, 'key.p12'));
    for (let cut = 1; cut < bytes.length; cut += 37) {
      const location = files.write('cut.p12', Buffer.from(bytes.subarray(0, cut)));
      const fault = faultOf(() => readKeyStore({ location, password: 'secret', type: 'PKCS12' }));
      assert.match(fault, location);
    }
    for (let at = 0; at < bytes.length; at += 101) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const location = files.write('changed.p12', changed);
      const fault = faultOf(() => readKeyStore({ location, password: 'secret', type: '' }));
      assert.match(fault, location);
    }
  }),
);

oracleTest(
  "keys and trusted certificates of a JKS store of Java's keytool",
  withFiles((files) => {
    const common = ['-storetype', 'JKS', '-storepass', 'sécret-7'];
    keytool(
      files,
      '-genkeypair',
      ...['-alias', 'own', '-keyalg', 'RSA', '-dname', 'CN=java', '-keystore', 'key.jks'],
      ...['-keypass', 'sécret-7', ...common],
    );
    keytool(
      files,
      '-importcert',
      ...['-alias', 'ca', '-noprompt', '-file', files.caFile, '-keystore', 'trust.jks'],
      ...common,
    );
    const [location, trusted] = ['key.jks', 'trust.jks'].map((name) => join(files.folder, name));
    const password = 'sécret-7';
    for (const type of ['', 'JKS', 'PKCS12'] as const) {
      const store = readKeyStore({ location: location ?? '', password, type });
      const certificate = new X509Certificate(store.chain);
      assert.is(certificate.subject, 'CN=java');
      assert.ok(certificate.checkPrivateKey(createPrivateKey(store.key)));
      const trust = readTrustStore({ location: trusted ?? '', password, type });
      assert.equal(trust.certificates, [String(new X509Certificate(files.authority.cert))]);
    }
    const only = faultOf(() => readTrustStore({ location: location ?? '', password, type: '' }));
    assert.match(only, /has no certificate to trust/);
    const bytes = readFileSync(location ?? '');
    for (let at = 0; at < bytes.length; at += 53) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const cut = files.write('cut.jks', Buffer.from(bytes.subarray(0, at)));
      const other = files.write('changed.jks', changed);
      for (const file of [cut, other]) {
        const fault = faultOf(() => readKeyStore({ location: file, password, type: 'JKS' }));
        assert.match(fault, file);
      }
    }
  }),
);

test('stores that only Java reads are refused by name', () => {
  const files = makeTlsFiles();
  try {
    const jceks = files.write('a.jceks', Buffer.from('cececece00000002', 'hex'));
    const fault = faultOf(() => readTrustStore({ location: jceks, password: '', type: '' }));
    assert.match(
      fault,
      /is a JCEKS store, which only Java reads: convert it to PKCS12 with keytool/,
    );
    const bcfks = faultOf(() => readKeyStore({ location: jceks, password: '', type: 'BCFKS' }));
    assert.match(bcfks, /is a BCFKS store/);
  } finally {
    files.remove();
  }
});

test('a key that requires too many rounds of hashing is refused before they begin', () => {
  const salted = sequence(octets(Buffer.alloc(8)), integer(0x7fffffff));
  const derivation = sequence(oid('1.2.840.113549.1.5.12'), salted);
  const cipher = sequence(oid('2.16.840.1.101.3.4.1.42'), octets(Buffer.alloc(16)));
  const data = (content: Buffer) =>
    sequence(oid('1.2.840.113549.1.7.1'), tagged(0, octets(content)));
  for (const algorithm of [
    sequence(oid('1.2.840.113549.1.5.13'), sequence(derivation, cipher)),
    sequence(oid('1.2.840.113549.1.12.1.3'), salted),
  ]) {
    const key = sequence(algorithm, octets(Buffer.alloc(16)));
    const bag = sequence(oid('1.2.840.113549.1.12.10.1.2'), tagged(0, key));
    const store = sequence(integer(3), data(sequence(data(sequence(bag)))));
    assert.throws(() => readPkcs12(store, 'password'), /too many rounds of hashing: 2147483647/);
  }
});

test.run();
