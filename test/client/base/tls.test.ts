import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientOptions } from '../../../src/client/base/client-options.js';
import { parseConnectString, parseServerAddress } from '../../../src/client/base/connect-string.js';
import { UnsupportedError, ZooKeeperError } from '../../../src/client/base/errors.js';
import { askWord } from '../../../src/client/base/four-letter.js';
import type { SocketFault } from '../../../src/client/base/socket-fault.js';
import type { TlsOptions } from '../../../src/client/base/tls.js';
import { createNativeClient } from '../../../src/client/native/native.js';
import { createClient, ZooKeeper } from '../../../src/client/zookeeper.js';
import { Perms } from '../../../src/protocol/perms.js';
import type { RunningServer } from '../../../src/server/main.js';
import { daysFromNow, makeAuthority } from '../../support/tls/certs.js';
import { connectFault, wordFault } from '../../support/tls/tls-faults.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../../support/tls/tls-world.js';
import { waitFor } from '../../support/wait-for.js';

async function withServer(
  config: Readonly<Record<string, string>>,
  run: (server: RunningServer, files: TlsFiles, tls: TlsOptions) => Promise<void>,
): Promise<void> {
  const files = makeTlsFiles();
  try {
    const server = await startSecure(files, config);
    try {
      await run(server, files, {
        ca: files.authority.cert,
        cert: files.client.cert,
        key: files.client.key,
      });
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

async function withClient(
  options: ClientOptions,
  run: (client: ZooKeeper) => Promise<void>,
): Promise<void> {
  const client = new ZooKeeper(options);
  try {
    await client.connect();
    await run(client);
  } finally {
    await client.close();
  }
}

test('zks:// selects TLS for every server, with its own default port', () => {
  assert.equal(parseConnectString('zks://a,[::1]:99/app'), {
    servers: [
      { host: 'a', port: 2281, isSecure: true },
      { host: '::1', port: 99, isSecure: true },
    ],
    chroot: '/app',
  });
  assert.equal(parseConnectString('a').servers, [{ host: 'a', port: 2181 }]);
  assert.throws(() => parseConnectString('zks:///app'), /expected host/);
});

test('a session over TLS, with watches and a value of a megabyte', () =>
  withServer({ 'jute.maxbuffer': '4000000' }, async (server, _files, tls) => {
    const connectString = `zks://localhost:${server.securePort}`;
    await withClient({ connectString, tls }, async (client) => {
      const seen: string[] = [];
      await client.exists('/big', { watch: (event) => seen.push(event.type) });
      const data = Buffer.alloc(1_000_000, 'x');
      await client.create('/big', data);
      assert.ok((await client.getData('/big')).data?.equals(data));
      await waitFor('the watch', () => seen.length === 1);
      assert.equal(seen, ['NodeCreated']);
    });
    // `tls` alone selects TLS too.
    await withClient({ connectString: `localhost:${server.securePort}`, tls }, async (client) => {
      assert.is((await client.exists('/big'))?.dataLength, 1_000_000);
    });
  }));

test('the subject of a certificate is an id of the scheme x509', () =>
  withServer({ 'ssl.clientAuth': 'want' }, async (server, files, tls) => {
    const connectString = `zks://localhost:${server.securePort}`;
    const id = { scheme: 'x509', id: 'CN=client,O=Test' };
    await withClient({ connectString, tls }, async (client) => {
      const user = (await client.whoAmI()).find(({ authScheme }) => authScheme === 'x509');
      assert.is(user?.user, 'CN=client,O=Test');
      await client.create('/mine', Buffer.from('a'), { acl: [{ perms: Perms.ALL, id }] });
      const auth = { scheme: 'auth', id: '' };
      await client.create('/auth', null, { acl: [{ perms: Perms.ALL, id: auth }] });
      assert.equal((await client.getACL('/auth')).acl, [{ perms: Perms.ALL, id }]);
      await client.addAuth('x509', '');
      await assertFault('INVALIDACL', () =>
        client.setACL('/mine', [{ perms: Perms.ALL, id: { scheme: 'x509', id: 'client' } }]),
      );
    });
    const without = { ca: files.authority.cert };
    await withClient({ connectString, tls: without }, async (client) => {
      await assertFault('NOAUTH', () => client.getData('/mine'));
    });
    const other = files.authority.issue({ names: ['other'] });
    await withClient(
      { connectString, tls: { ...without, cert: other.cert, key: other.key } },
      async (client) => {
        await assertFault('NOAUTH', () => client.setData('/mine', null));
      },
    );
  }));

test('X509AuthenticationProvider.superUser names a superuser', () =>
  withServer(
    { 'X509AuthenticationProvider.superUser': 'CN=client,O=Test' },
    async (server, _files, tls) => {
      await withClient({ connectString: server.connectString }, async (client) => {
        const nobody = { scheme: 'digest', id: 'nobody:x' };
        await client.create('/closed', null, { acl: [{ perms: Perms.ALL, id: nobody }] });
        await assertFault('NOAUTH', () => client.getData('/closed'));
        await assertFault('AUTHFAILED', () => client.addAuth('x509', ''));
      });
      const connectString = `zks://localhost:${server.securePort}`;
      await withClient({ connectString, tls }, async (client) => {
        await client.getData('/closed');
      });
    },
  ));

async function assertFault(code: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    assert.instance(error, ZooKeeperError);
    assert.is((error as ZooKeeperError).code, code);
    return;
  }
  assert.unreachable(`expected ${code}`);
}

test('a fault of a certificate is reported in plain text', async () => {
  const files = makeTlsFiles();
  const { authority } = files;
  const ca = authority.cert;
  const faultsOf = async (serverFile: string, tls: TlsOptions): Promise<string[]> => {
    const server = await startSecure(files, {
      'ssl.keyStore.location': serverFile,
      'ssl.clientAuth': 'none',
    });
    try {
      const [reason, text] = await wordFault(server.securePort, tls);
      const session = await connectFault(`zks://localhost:${server.securePort}`, tls);
      return [reason, text, session];
    } finally {
      await server.close();
    }
  };
  const expectFault = (found: string[], says: string): void => {
    assert.is(found[0], 'tls');
    assert.match(found[1] ?? '', says);
    assert.match(found[2] ?? '', says);
  };
  try {
    const old = { notBefore: daysFromNow(-3), notAfter: daysFromNow(-2) };
    const expired = authority.issue({ names: ['localhost'], ...old });
    const found = await faultsOf(files.write('old.pem', expired.both), { ca });
    expectFault(found, 'has an expired certificate');
    const early = { notBefore: daysFromNow(1), notAfter: daysFromNow(2) };
    const soon = authority.issue({ names: ['localhost'], ...early });
    expectFault(await faultsOf(files.write('soon.pem', soon.both), { ca }), 'not yet valid');
    const other = authority.issue({ names: ['zk.example', '10.0.0.9'] });
    const otherFile = files.write('other.pem', other.both);
    expectFault(
      await faultsOf(otherFile, { ca }),
      'has a certificate for zk.example, 10.0.0.9 (expected localhost)',
    );
    expectFault(await faultsOf(files.serverFile, {}), 'of an untrusted authority');
    const named = await faultsOf(otherFile, { ca, servername: 'zk.example' });
    assert.equal(named, ['', 'imok', 'connected']);
    const unverified = await faultsOf(otherFile, { isVerified: false });
    assert.equal(unverified, ['', 'imok', 'connected']);
  } finally {
    files.remove();
  }
});

test('a missing or untrusted client certificate is reported in plain text', () =>
  withServer({}, async (server, files) => {
    const ca = files.authority.cert;
    const [reason, text] = await wordFault(server.securePort, { ca });
    assert.is(reason, 'tls');
    assert.match(text, 'requires a client certificate');
    const stranger = makeAuthority('Stranger').issue({ names: ['stranger'] });
    const target = `zks://localhost:${server.securePort}`;
    assert.match(await connectFault(target, { ca }), 'requires a client certificate');
    assert.match(
      await connectFault(target, { ca, cert: stranger.cert, key: stranger.key }),
      "it may not trust this client's certificate",
    );
  }));

test('TLS to a plain port, and the reverse, is reported in plain text', () =>
  withServer({}, async (server, _files, tls) => {
    const [reason, text] = await wordFault(server.port, tls);
    assert.is(reason, 'tls');
    assert.match(text, 'it may be the plain client port');
    const target = `localhost:${server.port}`;
    assert.match(await connectFault(`zks://${target}`, tls), 'it may be the plain client port');
    const secure = `localhost:${server.securePort}`;
    assert.match(
      await connectFault(secure),
      'accepts only TLS on this port: add the prefix zks://',
    );
    try {
      await askWord(parseServerAddress(secure), 'ruok');
      assert.unreachable();
    } catch (error) {
      assert.is((error as SocketFault).reason, 'tls');
    }
  }));

test('a server other than ZooKeeper is reported in plain text', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    assert.match((await wordFault(port))[1], 'answers without TLS');
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('invalid TLS options are refused before anything is sent', () => {
  const authority = makeAuthority();
  const [one, two] = [authority.issue({ names: ['one'] }), authority.issue({ names: ['two'] })];
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const locked = privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString();
  const fault = (tls: TlsOptions): string => {
    try {
      createClient({ connectString: 'zks://localhost', tls });
      return 'none';
    } catch (error) {
      assert.instance(error, RangeError);
      return (error as Error).message;
    }
  };
  assert.match(fault({ ca: 'hello' }), 'tls.ca: contains no certificate in PEM');
  assert.match(fault({ cert: one.cert }), 'tls.cert: given without a private key');
  assert.match(fault({ key: one.key }), 'tls.key: given without a certificate');
  assert.match(fault({ cert: one.cert, key: two.key }), 'tls.key: does not match the certificate');
  assert.match(fault({ cert: one.cert, key: locked }), 'encrypted without a given passphrase');
  assert.match(fault({ cert: one.cert, key: locked, passphrase: 'x' }), 'its passphrase is wrong');
  assert.is(fault({ cert: one.both }), 'none');
});

test('versions, cipher suites, and the check of names are options of a client', () =>
  withServer({ 'ssl.protocol': 'TLSv1.2' }, async (server, _files, tls) => {
    const connectString = `zks://127.0.0.1:${server.securePort}`;
    const fault = (options: TlsOptions) => connectFault(connectString, { ...tls, ...options });
    assert.match(await fault({ minVersion: 'TLSv1.3' }), /supports no version of TLS/);
    const ciphers = 'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384';
    await withClient({ connectString, tls: { ...tls, maxVersion: 'TLSv1.2', ciphers } }, (client) =>
      client.connect(),
    );
    const wrong = { connectString, tls: { ...tls, ciphers: 'NONE-SUCH' } };
    assert.throws(() => createClient(wrong), /tls\.ciphers: unusable: "NONE-SUCH"/);
    const other = { servername: 'elsewhere.example' };
    assert.match(await fault(other), /certificate for/);
    await withClient(
      { connectString, tls: { ...tls, ...other, isNameVerified: false } },
      (client) => client.connect(),
    );
    const stranger = { ca: makeAuthority('Stranger').cert, isNameVerified: false };
    assert.match(await fault(stranger), /untrusted authority/);
  }));

test('the native client reports that it does not support TLS', () => {
  const make = () => createNativeClient({ connectString: 'zks://localhost' });
  assert.throws(make, (error: Error) => {
    return error instanceof UnsupportedError && /cannot use TLS/.test(error.message);
  });
});

test.run();
