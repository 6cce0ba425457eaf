// conformance: runs against Apache's server, too.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createClient,
  type SessionClient,
  TlsOptionError,
  type TlsOptions,
} from '../../../src/client/index.js';
import { KEYTOOL, oracleTest } from '../../support/apache/oracle.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../../support/tls/tls-world.js';

const PASSWORD = 'secret-7';

function keytool(files: TlsFiles, ...args: readonly string[]): void {
  execFileSync(KEYTOOL, args, { cwd: files.folder, stdio: 'pipe' });
}

/** A store with a new key, and one with the authority of the server. */
function makeStores(files: TlsFiles, type: string): { key: string; trust: string; cert: string } {
  const [key, trust, cert] = [`key-${type}`, `trust-${type}`, `${type}.pem`];
  const common = ['-storetype', type, '-storepass', PASSWORD, '-alias', 'a'];
  const made = ['-keyalg', 'EC', '-dname', `CN=${type}`, '-keypass', PASSWORD];
  keytool(files, '-genkeypair', ...common, ...made, '-keystore', key);
  keytool(files, '-exportcert', '-rfc', ...common, '-keystore', key, '-file', cert);
  keytool(files, '-importcert', ...common, '-noprompt', '-file', files.caFile, '-keystore', trust);
  const at = (name: string) => join(files.folder, name);
  return { key: at(key), trust: at(trust), cert: readFileSync(at(cert), 'utf8') };
}

async function withClient(
  port: number,
  tls: TlsOptions,
  run: (client: SessionClient) => Promise<void>,
): Promise<void> {
  const client = createClient({ connectString: `localhost:${port}`, tls });
  try {
    await client.connect();
    await run(client);
  } finally {
    await client.close();
  }
}

oracleTest("a client uses the stores of Java's keytool, by path or by content", async () => {
  const files = makeTlsFiles();
  try {
    const stores = ['JKS', 'PKCS12'].map((type) => ({ type, ...makeStores(files, type) }));
    const trusted = files.authority.cert + stores.map(({ cert }) => cert).join('');
    const server = await startSecure(files, {
      'ssl.trustStore.location': files.write('trusted.pem', trusted),
    });
    try {
      for (const { type, key, trust } of stores) {
        for (const read of [(path: string) => path, (path: string) => readFileSync(path)]) {
          const tls = {
            keyStore: { source: read(key), password: PASSWORD },
            trustStore: { source: read(trust), password: PASSWORD },
          };
          await withClient(server.securePort ?? 0, tls, async (client) => {
            const ids = (await client.whoAmI()).map(
              ({ authScheme, user }) => `${authScheme} ${user}`,
            );
            assert.ok(ids.includes(`x509 CN=${type}`), ids.join());
          });
        }
        const tls = { keyStore: { source: key, password: 'other' } };
        const error = faultOf(tls);
        assert.is(error?.option, 'keyStore');
        assert.match(error?.message ?? '', /^tls\.keyStore: .*password/);
      }
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
});

function faultOf(tls: TlsOptions): TlsOptionError | undefined {
  try {
    createClient({ connectString: '127.0.0.1:1', tls });
    return undefined;
  } catch (error) {
    assert.instance(error, TlsOptionError);
    return error instanceof TlsOptionError ? error : undefined;
  }
}

test('stores in PEM; a version and ciphers that the server accepts, or not', async () => {
  const files = makeTlsFiles();
  try {
    const server = await startSecure(files, { 'ssl.enabledProtocols': 'TLSv1.2' });
    const tls: TlsOptions = {
      keyStore: { source: files.write('client.pem', files.client.both) },
      trustStore: { source: files.caFile },
    };
    try {
      const port = server.securePort ?? 0;
      const suite = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
      await withClient(port, { ...tls, ciphers: suite }, async (client) => {
        assert.ok(await client.exists('/'));
      });
      const newer = createClient({
        connectString: `localhost:${port}`,
        tls: { ...tls, minVersion: 'TLSv1.3' },
        connectRounds: 1,
      });
      const refused = await newer.connect().catch((error) => error);
      assert.match(refused.message, /version of TLS/);
      await newer.close();
    } finally {
      await server.close();
    }
    const given = tls.trustStore?.source;
    assert.is(faultOf({ ...tls, ca: files.authority.cert })?.option, 'trustStore');
    assert.is(faultOf({ ...tls, cert: files.client.cert })?.option, 'keyStore');
    assert.is(faultOf({ ...tls, ciphers: 'NO-SUCH-SUITE' })?.option, 'ciphers');
    assert.match(
      faultOf({ keyStore: { source: String(given) } })?.message ?? '',
      /has no private key/,
    );
    const missing = join(files.folder, 'missing.p12');
    assert.match(faultOf({ trustStore: { source: missing } })?.message ?? '', /cannot read/);
    const garbage = faultOf({ trustStore: { source: Buffer.from('garbage') } });
    assert.match(garbage?.message ?? '', /^tls\.trustStore: the given content: is neither PEM/);
  } finally {
    files.remove();
  }
});

test.run();
