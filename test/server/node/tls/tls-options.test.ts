import { getCiphers } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { opensslName } from '../../../../src/certificates/cipher-names.js';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { ServerError } from '../../../../src/server/main.js';
import { readQuorumTlsOptions } from '../../../../src/server/node/tls/tls-options.js';
import { makeTlsFiles, startSecure, talk } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

test('an ignored or permissive option gives a warning', async () => {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  const config = {
    'ssl.trustStore.location': '',
    'ssl.enabledProtocols': 'TLSv1.1,TLSv1.3',
    'ssl.ciphersuites': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_NONE',
  };
  const server = await startSecure(files, config, (message) => warnings.push(message));
  try {
    const texts = warnings.join('\n');
    assert.match(texts, 'client certificates of all public authorities are accepted');
    assert.match(texts, 'omits TLSv1.2, which is accepted anyway');
    assert.match(texts, 'unknown cipher suite: "TLS_NONE"');
  } finally {
    await server.close();
    files.remove();
  }
});

test('reasons for failed handshakes are logged with a rate limit', async () => {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  const server = await startSecure(files, {}, (message) => warnings.push(message));
  try {
    for (let i = 0; i < 3; i++) await talk(server.securePort, { ca: files.authority.cert });
    await waitFor('a warning', () => warnings.length > 0);
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^TLS: 127\.0\.0\.1:\d+ sent no certificate/);
  } finally {
    await server.close();
    files.remove();
  }
});

const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

for (const [text, client, quorum] of [
  [undefined, VERSIONS, VERSIONS],
  ['TLS', VERSIONS, VERSIONS],
  ['TLSv1.2', ['TLSv1.2'], ['TLSv1.2']],
  ['tlsv1.3', ['TLSv1.3'], VERSIONS],
] as const) {
  test(`ssl.protocol=${text}: clients ${client}; ssl.quorum.protocol: servers ${quorum}`, async () => {
    const files = makeTlsFiles();
    const value = text === undefined ? {} : { 'ssl.protocol': text, 'ssl.quorum.protocol': text };
    const result = configFromOptions({
      'ssl.quorum.keyStore.location': files.serverFile,
      'ssl.quorum.trustStore.location': files.caFile,
      ...value,
    });
    if (!('config' in result)) throw new Error('the options are not a configuration');
    const server = await startSecure(files, value);
    try {
      const taken = [];
      for (const version of VERSIONS) {
        const only = { minVersion: version, maxVersion: version };
        const options = {
          ca: files.authority.cert,
          cert: files.client.cert,
          key: files.client.key,
          ...only,
        };
        if ((await talk(server.securePort, options)).text === 'imok') taken.push(version);
      }
      assert.equal(taken, [...client]);
      const { context } = readQuorumTlsOptions(result.config, () => undefined);
      assert.equal([context.minVersion, context.maxVersion], [quorum[0], quorum.at(-1)]);
    } finally {
      await server.close();
      files.remove();
    }
  });
}

test("Java names of cipher suites are translated to OpenSSL's", () => {
  for (const [java, openssl] of [
    ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
    ['TLS_DHE_RSA_WITH_AES_128_CBC_SHA', 'DHE-RSA-AES128-SHA'],
    ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ] as const) {
    assert.is(opensslName(java), openssl);
    assert.ok(getCiphers().includes(openssl.toLowerCase()), openssl);
  }
});

test('invalid options give an error that names them', async () => {
  const files = makeTlsFiles();
  const fault = async (config: Record<string, string>): Promise<string> => {
    try {
      await (await startSecure(files, config)).close();
      return 'started';
    } catch (error) {
      assert.instance(error, ServerError);
      assert.is((error as ServerError).code, 'ECONFIG');
      return (error as Error).message;
    }
  };
  try {
    assert.match(await fault({ 'ssl.keyStore.location': '' }), 'ssl.keyStore.location: missing');
    assert.match(await fault({ 'ssl.keyStore.location': '/nowhere' }), '/nowhere: cannot read');
    assert.match(await fault({ 'ssl.keyStore.location': files.caFile }), 'has no private key');
    assert.match(await fault({ 'ssl.keyStore.type': 'BCFKS' }), 'keytool -importkeystore');
    assert.match(await fault({ 'ssl.keyStore.type': 'JKS' }), 'is PEM (expected JKS');
    assert.match(await fault({ 'ssl.keyStore.type': 'PKCS12' }), 'is PEM (expected PKCS12');
    const jks = files.write('store.jks', Buffer.from('feedfeed00000002', 'hex'));
    assert.match(
      await fault({ 'ssl.trustStore.location': jks }),
      'store.jks: has another password, or is damaged',
    );
    assert.match(await fault({ 'ssl.enabledProtocols': 'SSLv3' }), 'unknown version: "SSLv3"');
    assert.match(await fault({ 'ssl.ciphersuites': 'NONE' }), 'has no cipher suite of this server');
    const unset = { 'ssl.trustStore.location': '' };
    for (const key of ['ssl.crl', 'ssl.ocsp']) {
      const text = `${key}=true: needs ssl.trustStore.location, which is not set`;
      assert.match(await fault({ ...unset, [key]: 'true' }), text);
    }
    const mixed = files.write('mixed.pem', files.server.cert + files.client.key);
    assert.match(await fault({ 'ssl.keyStore.location': mixed }), 'no certificate for its key');
  } finally {
    files.remove();
  }
});

test.run();
