// The stores of a client, and the keys that change nothing: zookeeper.ssl.keyStore.password,
// zookeeper.ssl.keyStore.passwordPath, zookeeper.ssl.trustStore.password, and
// zookeeper.ssl.trustStore.passwordPath decide whether a store opens.
import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readClientProperties } from '../../../src/commands/connecting/client-properties.js';
import { KEYTOOL, oracleTest } from '../../support/apache/oracle.js';
import { makeTlsFiles, type TlsFiles } from '../../support/tls/tls-world.js';

const SECURE = 'zookeeper.client.secure=true';

function read(files: TlsFiles, ...lines: readonly string[]) {
  return readClientProperties(files.write('p', [SECURE, ...lines, ''].join('\n')));
}

async function assertFails(reading: Promise<unknown>, what?: string): Promise<void> {
  const failed = await reading.then(
    () => false,
    () => true,
  );
  assert.ok(failed, what);
}

/** Both forms of a password, right and wrong, must decide whether the store opens. */
async function checkPassword(files: TlsFiles, store: string, location: string): Promise<void> {
  files.write('right', 'secret-7\n');
  files.write('wrong', 'other\n');
  const at = `${store}.location=${location}`;
  for (const right of [`${store}.password=secret-7`, `${store}.passwordPath=right`]) {
    await read(files, at, right);
  }
  for (const wrong of [`${store}.password=other`, `${store}.passwordPath=wrong`]) {
    await assertFails(read(files, at, wrong), wrong);
  }
}

test('the password, its file, and the type of zookeeper.ssl.keyStore decide whether it opens', async () => {
  const files = makeTlsFiles();
  try {
    const key = createPrivateKey(files.client.key).export({
      ...{ type: 'pkcs8', format: 'pem' },
      ...{ cipher: 'aes-256-cbc', passphrase: 'secret-7' },
    });
    files.write('own.pem', `${files.client.cert}${key}`);
    await checkPassword(files, 'zookeeper.ssl.keyStore', 'own.pem');
    const typed = ['zookeeper.ssl.keyStore.location=own.pem', 'zookeeper.ssl.keyStore.type=JKS'];
    await assertFails(read(files, ...typed, 'zookeeper.ssl.keyStore.password=secret-7'));
  } finally {
    files.remove();
  }
});

oracleTest(
  'the password, its file, and the type of zookeeper.ssl.trustStore decide whether it opens',
  async () => {
    const files = makeTlsFiles();
    try {
      const store = ['-keystore', join(files.folder, 'trust.jks'), '-storetype', 'JKS'];
      const flags = ['-importcert', '-alias', 'ca', '-noprompt', '-storepass', 'secret-7'];
      execFileSync(KEYTOOL, [...flags, '-file', files.caFile, ...store], { stdio: 'pipe' });
      await checkPassword(files, 'zookeeper.ssl.trustStore', 'trust.jks');
      const typed = [
        'zookeeper.ssl.trustStore.location=trust.jks',
        'zookeeper.ssl.trustStore.type=PEM',
      ];
      await assertFails(read(files, ...typed, 'zookeeper.ssl.trustStore.password=secret-7'));
    } finally {
      files.remove();
    }
  },
);

test('keys without effect for a client are accepted', async () => {
  const files = makeTlsFiles();
  try {
    const trust = `zookeeper.ssl.trustStore.location=${files.caFile}`;
    const plain = await read(files, trust);
    for (const line of [
      'zookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty',
      'zookeeper.fips-mode=false',
      'zookeeper.kinit=/usr/bin/kinit',
      'zookeeper.ssl.allowReverseDnsLookup=true',
      'zookeeper.ssl.authProvider=x509',
      'zookeeper.ssl.clientAuth=none',
      'zookeeper.ssl.clientHostnameVerification=true',
      'zookeeper.ssl.handshakeDetectionTimeoutMillis=7',
      'zookeeper.ssl.sslProvider=JDK',
      'zookeeper.hostProvider.dnsSrvRefreshIntervalSeconds=7',
      'zookeeper.sasl.client.allowReverseDnsLookup=true',
      'zookeeper.shuffleDnsResponse=true',
    ]) {
      assert.equal(await read(files, trust, line), plain, line);
    }
  } finally {
    files.remove();
  }
});

test.run();
