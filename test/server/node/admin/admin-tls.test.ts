import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { Perms } from '../../../../src/protocol/perms.js';
import { type RunningServer, ServerError } from '../../../../src/server/main.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeTlsFiles, startSecure, type TlsFiles, talk } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';
import { ADMIN } from './admin-world.js';

const X509 = 'org.apache.zookeeper.server.auth.X509AuthenticationProvider';

interface World {
  readonly server: RunningServer;
  readonly adminPort: number;
  readonly files: TlsFiles;
  readonly warnings: string[];
  /** The authority that the client trusts, and the certificate that it sends. */
  readonly asClient: SecureContextOptions;
}

async function withAdmin(
  config: Readonly<Record<string, string>>,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const files = makeTlsFiles();
  const home = makeTempDir('admin-tls');
  const warnings: string[] = [];
  const server = await startBundled({
    dataDir: home.path,
    config: {
      ...ADMIN,
      'ssl.quorum.keyStore.location': files.serverFile,
      'ssl.quorum.trustStore.location': files.caFile,
      ...config,
    },
    onWarning: (message) => warnings.push(message),
  });
  try {
    const { cert, key } = files.client;
    const asClient = { ca: files.authority.cert, cert, key };
    await run({ server, adminPort: server.adminPort ?? 0, files, warnings, asClient });
  } finally {
    await server.close();
    home.remove();
    files.remove();
  }
}

interface Answer {
  readonly status: number;
  readonly hsts: string | undefined;
  readonly length: number;
}

function ask(
  port: number,
  command: string,
  options: SecureContextOptions,
  headers = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const place = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path: `/commands/${command}`,
    };
    const asked = request({ ...place, ...options, headers, agent: false }, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      const hsts = response.headers['strict-transport-security'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, hsts, length }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('with admin.forceHttps, only clients with TLS and a certificate get a response', async () => {
  await withAdmin(
    { 'admin.forceHttps': 'true' },
    async ({ adminPort, asClient, files, warnings }) => {
      const answer = await ask(adminPort, 'ruok', asClient);
      assert.equal([answer.status, answer.hsts], [200, 'max-age=86400; includeSubDomains']);
      const ca = files.authority.cert;
      const without = await talk(adminPort, { ca }, 'GET /commands/ruok HTTP/1.0\r\n\r\n');
      assert.is(without.text, '');
      const plain = await fetch(`http://127.0.0.1:${adminPort}/commands/ruok`).catch(
        () => 'refused',
      );
      assert.is(plain, 'refused');
      assert.match(
        warnings.join('\n'),
        /TLS of the AdminServer: 127\.0\.0\.1:\d+ spoke without TLS/,
      );
    },
  );
});

test('with admin.needClientAuth=false, no certificate is required', async () => {
  const config = { 'admin.forceHttps': 'true', 'admin.needClientAuth': 'false' };
  await withAdmin(config, async ({ adminPort, files }) => {
    const { status } = await ask(adminPort, 'ruok', { ca: files.authority.cert });
    assert.is(status, 200);
  });
});

test('with admin.portUnification, clients with and without TLS get responses, and the latter are counted', async () => {
  await withAdmin({ 'admin.portUnification': 'true' }, async ({ adminPort, asClient }) => {
    assert.is((await ask(adminPort, 'ruok', asClient)).status, 200);
    const url = `http://127.0.0.1:${adminPort}/commands/monitor`;
    const body = JSON.stringify({ unread: 'x'.repeat(100_000) });
    const plain = await fetch(url, { method: 'POST', body: body.slice(0, 1000) });
    assert.is(plain.headers.get('strict-transport-security'), null);
    assert.is(((await plain.json()) as Record<string, unknown>)['insecure_admin_count'], 1);
  });
});

test('a certificate authorizes a client that reads the whole tree, as an address does', async () => {
  await withAdmin(
    { 'admin.forceHttps': 'true', 'authProvider.x509': X509 },
    async ({ server, adminPort, asClient }) => {
      const client = new ZooKeeper({ connectString: server.connectString });
      try {
        await client.connect();
        const statusOf = async (scheme: string) =>
          (await ask(adminPort, 'snapshot', asClient, { Authorization: scheme })).status;
        const own = { scheme: 'x509', id: 'CN=client,O=Test' };
        await client.setACL('/', [{ perms: Perms.ALL, id: own }]);
        assert.is(await statusOf('x509'), 200);
        assert.is(await statusOf('ip'), 403);
        assert.is(await statusOf('digest'), 401);
      } finally {
        await client.close();
      }
    },
  );
});

test('an address authorizes every client that connects from it', async () => {
  await withAdmin({}, async ({ server, adminPort }) => {
    const client = new ZooKeeper({ connectString: server.connectString });
    try {
      await client.connect();
      await client.setACL('/', [{ perms: Perms.ALL, id: { scheme: 'ip', id: '127.0.0.1' } }]);
      const url = `http://127.0.0.1:${adminPort}/commands/snapshot`;
      const statusOf = async (Authorization: string) =>
        (await fetch(url, { headers: { Authorization } })).status;
      assert.is(await statusOf('x509'), 401);
      assert.is(await statusOf('ip'), 200);
    } finally {
      await client.close();
    }
  });
});

test('clients over TLS and without it are listed apart', async () => {
  const files = makeTlsFiles();
  const server = await startSecure(files, ADMIN);
  const secured = connectTls({
    port: server.securePort,
    ca: files.authority.cert,
    ...files.client,
  });
  const plain = connect(server.port, '127.0.0.1');
  const addressOf = ({ localPort }: Socket) => `127.0.0.1:${localPort}`;
  try {
    await once(secured, 'secureConnect');
    for (const command of ['connections', 'stats']) {
      await waitFor(`the clients in ${command}`, async () => {
        const url = `http://127.0.0.1:${server.adminPort}/commands/${command}`;
        const json = (await (await fetch(url)).json()) as Record<string, Listed>;
        const listed = ['connections', 'secure_connections'].map((name) =>
          json[name]?.map((client) => client.remote_socket_address),
        );
        return `${listed}` === `${[[addressOf(plain)], [addressOf(secured)]]}`;
      });
    }
  } finally {
    secured.destroy();
    plain.destroy();
    await server.close();
    files.remove();
  }
});

type Listed = readonly { readonly remote_socket_address: string }[];

test('revocation applies here too, and TLS without a certificate does not start', async () => {
  const files = makeTlsFiles();
  const startWith = async (config: Readonly<Record<string, string>>): Promise<string> => {
    try {
      const server = await startBundled({ config: { ...ADMIN, ...config } });
      await server.close();
      return 'started';
    } catch (error) {
      assert.instance(error, ServerError);
      return (error as ServerError).message;
    }
  };
  try {
    const stores = {
      'ssl.quorum.keyStore.location': files.serverFile,
      'ssl.quorum.trustStore.location': files.caFile,
      'admin.forceHttps': 'true',
    };
    assert.match(await startWith({ 'admin.forceHttps': 'true' }), 'ssl.quorum.keyStore.location');
    const unset = { ...stores, 'ssl.quorum.trustStore.location': '', 'ssl.quorum.crl': 'true' };
    assert.match(await startWith(unset), 'ssl.quorum.trustStore.location, which is not set');
  } finally {
    files.remove();
  }
});

test.run();
