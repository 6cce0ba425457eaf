import { renameSync } from 'node:fs';
import { connect } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../../src/client/base/four-letter.js';
import { type RunningServer, ServerError } from '../../../../src/server/main.js';
import { startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeAuthority } from '../../../support/tls/certs.js';
import { makeTlsFiles, type TlsFiles, talk } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

const PROMETHEUS = {
  'metricsProvider.className': 'org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider',
  'metricsProvider.httpHost': '127.0.0.1',
};
const NEED = 'metricsProvider.ssl.need.client.auth';
const WANT = 'metricsProvider.ssl.want.client.auth';
const REQUEST = 'GET /metrics HTTP/1.0\r\n\r\n';
const HSTS = 'Strict-Transport-Security: max-age=86400; includeSubDomains';

interface World {
  readonly server: RunningServer;
  readonly port: number;
  readonly files: TlsFiles;
  readonly warnings: readonly string[];
  /** The options of a client that has a certificate. */
  readonly known: ConnectionOptions;
}

function storesOf(files: TlsFiles): Record<string, string> {
  return {
    'metricsProvider.ssl.keyStore.location': files.serverFile,
    'metricsProvider.ssl.trustStore.location': files.caFile,
  };
}

async function withMetrics(
  config: Readonly<Record<string, string>>,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  try {
    const server = await startBundled({
      config: {
        ...PROMETHEUS,
        'metricsProvider.httpsPort': '0',
        ...storesOf(files),
        ...config,
      },
      onWarning: (message) => warnings.push(message),
    });
    try {
      const known = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
      await run({ server, port: server.secureMetricsPort ?? 0, files, warnings, known });
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

async function scrape(port: number, options: ConnectionOptions): Promise<string> {
  return (await talk(port, options, REQUEST)).text;
}

async function scrapePlain(port: number | undefined): Promise<number | 'refused'> {
  const url = `http://127.0.0.1:${port}/metrics`;
  return fetch(url).then(
    ({ status }) => status,
    () => 'refused' as const,
  );
}

test('metricsProvider.httpsPort serves only clients with TLS and a trusted certificate', () =>
  withMetrics({}, async ({ server, port, files, warnings, known }) => {
    assert.is(server.metricsPort, undefined);
    const text = await scrape(port, known);
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.match(text, /^znode_count 5$/m);
    assert.not.match(text, HSTS);
    const ca = files.authority.cert;
    assert.is(await scrape(port, { ca }), '');
    const stranger = makeAuthority('Other CA').issue({ names: ['stranger'] });
    assert.is(await scrape(port, { ca, ...stranger }), '');
    assert.is(await scrapePlain(port), 'refused');
    const said = warnings.join('\n');
    assert.match(said, `TLS of the metrics: 127.0.0.1:`);
    assert.match(said, `sent no certificate, which ${NEED}=true requires`);
    assert.match(said, 'has a certificate that is not accepted');
    assert.match(said, 'spoke without TLS');
  }));

test('both ports may be open, and each serves its own clients', async () => {
  const httpsPort = String(await freePort());
  const config = { 'metricsProvider.httpPort': '0', 'metricsProvider.httpsPort': httpsPort };
  await withMetrics(config, async ({ server, port, known }) => {
    assert.is(port, Number(httpsPort));
    assert.is.not(server.metricsPort, port);
    assert.is(await scrapePlain(server.metricsPort), 200);
    assert.match(await scrape(port, known), /^HTTP\/1\.1 200 /);
    assert.is((await talk(server.metricsPort ?? 0, known, REQUEST)).text, '');
  });
});

test('one port takes clients with TLS and without, and asks browsers for TLS', () =>
  withMetrics(
    { 'metricsProvider.httpPort': '0', 'ssl.handshakeDetectionTimeoutMillis': '100' },
    async ({ server, port, known }) => {
      assert.is(server.metricsPort, port);
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      assert.is(response.status, 200);
      assert.is(response.headers.get('strict-transport-security'), null);
      await response.text();
      assert.match(await scrape(port, known), HSTS);
      const silent = connect(port, '127.0.0.1');
      await new Promise((resolve) => silent.once('close', resolve));
    },
  ));

test('without need, a certificate is optional, but an untrusted one is refused', () =>
  withMetrics({ [NEED]: 'false' }, async ({ port, files, known }) => {
    const ca = files.authority.cert;
    const stranger = makeAuthority('Other CA').issue({ names: ['stranger'] });
    assert.match(await scrape(port, { ca }), /^HTTP\/1\.1 200 /);
    assert.match(await scrape(port, known), /^HTTP\/1\.1 200 /);
    assert.is(await scrape(port, { ca, ...stranger }), '');
  }));

test('without need and want, no certificate is asked for', () =>
  withMetrics({ [NEED]: 'false', [WANT]: 'false' }, async ({ port, files }) => {
    const ca = files.authority.cert;
    const stranger = makeAuthority('Other CA').issue({ names: ['stranger'] });
    assert.match(await scrape(port, { ca, ...stranger }), /^HTTP\/1\.1 200 /);
  }));

test('enabledProtocols and ciphersuites limit the handshakes', () =>
  withMetrics(
    {
      'metricsProvider.ssl.enabledProtocols': 'TLSv1.2',
      'metricsProvider.ssl.ciphersuites': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    },
    async ({ port, known }) => {
      assert.match(await scrape(port, known), /^HTTP\/1\.1 200 /);
      assert.is(await scrape(port, { ...known, minVersion: 'TLSv1.3' }), '');
      const others = { ...known, maxVersion: 'TLSv1.2', ciphers: 'AES256-GCM-SHA384' } as const;
      assert.is(await scrape(port, others), '');
    },
  ));

test('a renewed certificate applies without a restart, and a bad file changes nothing', () =>
  withMetrics({}, async ({ port, files, warnings, known }) => {
    const replace = (text: string) => renameSync(files.write('next.pem', text), files.serverFile);
    const serial = async () => Number.parseInt((await talk(port, known, REQUEST)).serial, 16);
    assert.is(await serial(), files.server.serial);
    const next = files.authority.issue({ names: ['localhost'] });
    replace(next.both);
    await waitFor('the new certificate', async () => (await serial()) === next.serial);
    replace('no certificate');
    await waitFor('a warning', () => warnings.some((text) => text.includes('stay in use')));
    assert.is(await serial(), next.serial);
  }));

test('unusable options stop the start, each by its name', async () => {
  const files = makeTlsFiles();
  const faultOf = async (config: Readonly<Record<string, string>>): Promise<string> => {
    const whole = { ...PROMETHEUS, 'metricsProvider.httpsPort': '0', ...config };
    try {
      const server = await startBundled({ config: whole });
      await server.close();
      return 'started';
    } catch (error) {
      assert.instance(error, ServerError);
      assert.is((error as ServerError).code, 'ECONFIG');
      return (error as ServerError).message;
    }
  };
  const stores = storesOf(files);
  const { 'metricsProvider.ssl.keyStore.location': _, ...onlyTrust } = stores;
  const { 'metricsProvider.ssl.trustStore.location': __, ...onlyKey } = stores;
  const prefix = 'metricsProvider.ssl';
  try {
    assert.match(await faultOf(onlyTrust), `${prefix}.keyStore.location: missing`);
    assert.match(await faultOf(onlyKey), `${prefix}.trustStore.location: missing: ${NEED}=true`);
    assert.is(await faultOf({ ...onlyKey, [NEED]: 'false' }), 'started');
    const jks = files.write('store.jks', Buffer.from('feedfeed00000002', 'hex'));
    const wrong = { ...stores, [`${prefix}.keyStore.location`]: jks };
    assert.match(
      await faultOf({ ...wrong, [`${prefix}.keyStore.password`]: 'wrong' }),
      'store.jks: has another password, or is damaged',
    );
    assert.match(
      await faultOf({ ...stores, [`${prefix}.trustStore.type`]: 'PKCS12' }),
      'is PEM (expected PKCS12',
    );
    assert.match(
      await faultOf({ ...stores, [`${prefix}.enabledProtocols`]: 'TLSv1.4' }),
      `${prefix}.enabledProtocols: unknown version: "TLSv1.4"`,
    );
    assert.match(
      await faultOf({ ...stores, [`${prefix}.ciphersuites`]: 'TLS_NONE' }),
      `${prefix}.ciphersuites: has no cipher suite`,
    );
  } finally {
    files.remove();
  }
});

test('a port in use, or stores without httpsPort, are warnings, and clients are served', async () => {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const first = await startBundled();
  try {
    const taken = { 'metricsProvider.httpPort': '0', 'metricsProvider.httpsPort': `${first.port}` };
    const stores = storesOf(files);
    const second = await startBundled({
      config: { ...PROMETHEUS, ...stores, ...taken },
      onWarning,
    });
    try {
      assert.is(second.secureMetricsPort, undefined);
      assert.match(warnings.join('\n'), /Prometheus port with TLS: cannot start: .*EADDRINUSE/);
      assert.is(await scrapePlain(second.metricsPort), 200);
      const place = { host: '127.0.0.1', port: second.port };
      assert.is((await askWord(place, 'ruok')).toString(), 'imok');
    } finally {
      await second.close();
    }
    const plain = { ...PROMETHEUS, ...stores, 'metricsProvider.httpPort': '0' };
    const third = await startBundled({ config: plain, onWarning });
    try {
      assert.is(third.secureMetricsPort, undefined);
      assert.match(warnings.join('\n'), 'so the metrics are served without TLS');
    } finally {
      await third.close();
    }
  } finally {
    await first.close();
    files.remove();
  }
});

test.run();
