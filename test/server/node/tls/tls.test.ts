import { renameSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../../src/client/base/four-letter.js';
import { mntr } from '../../../../src/fourlw/mntr.js';
import { type RunningServer, startServer } from '../../../../src/server/main.js';
import { freePort } from '../../../support/machine/free-port.js';
import { daysFromNow, makeAuthority } from '../../../support/tls/certs.js';
import { makeTlsFiles, startSecure, type TlsFiles, talk } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

async function withServer(
  config: Readonly<Record<string, string>>,
  run: (server: RunningServer, files: TlsFiles) => Promise<void>,
): Promise<void> {
  const files = makeTlsFiles();
  try {
    const server = await startSecure(files, config);
    try {
      await run(server, files);
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

async function metric(server: RunningServer, name: string): Promise<string | undefined> {
  const answer = await askWord({ host: '127.0.0.1', port: server.port }, 'mntr');
  return mntr.parse(answer.toString()).values.get(name);
}

function openSocket(port: number, first?: Buffer | string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (first !== undefined) socket.write(first);
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

/** The bytes received until the other side ends. */
function readAll(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** The first bytes of a ClientHello, without the rest. */
const HALF_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);

test('a server closes while clients over TLS are connected', async () => {
  const files = makeTlsFiles();
  try {
    const server = await startSecure(files, {});
    const { authority, client } = files;
    const secured = connectTls({ port: server.securePort, ca: authority.cert, ...client });
    try {
      secured.on('error', () => undefined);
      await waitFor('the handshake', () => secured.authorized);
      await waitFor('the connection', async () => {
        return (await metric(server, 'num_alive_connections')) === '2';
      });
    } finally {
      await server.close();
      secured.destroy();
    }
  } finally {
    files.remove();
  }
});

test('words are answered over TLS 1.2 and 1.3, and without TLS on the other port', () =>
  withServer({}, async (server, { authority, client }) => {
    const both = { ca: authority.cert, ...client };
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const answer = await talk(server.securePort, {
        ...both,
        minVersion: version,
        maxVersion: version,
      });
      assert.equal([answer.text, answer.fault], ['imok', '']);
    }
    const conf = await talk(server.securePort, both, 'conf');
    assert.match(conf.text, `secureClientPort=${server.securePort}\n`);
    assert.match(conf.text, `clientPort=${server.port}\n`);
    const plain = await askWord({ host: '127.0.0.1', port: server.port }, 'ruok');
    assert.is(plain.toString(), 'imok');
  }));

test('need refuses clients without a trusted and current certificate', () =>
  withServer({}, async (server, { authority, client }) => {
    const ca = authority.cert;
    const stranger = makeAuthority('Stranger').issue({ names: ['stranger'] });
    const expired = authority.issue({
      names: ['old'],
      notBefore: daysFromNow(-3),
      notAfter: daysFromNow(-2),
    });
    for (const own of [{}, stranger, expired]) {
      assert.is((await talk(server.securePort, { ca, ...own })).text, '');
    }
    await waitFor('three failed handshakes', async () => {
      return (await metric(server, 'unsuccessful_handshake')) === '3';
    });
    assert.is((await talk(server.securePort, { ca, ...client })).text, 'imok');
  }));

test('want accepts a client without a certificate but none with a bad one; none requires none', async () => {
  const stranger = makeAuthority('Stranger').issue({ names: ['stranger'] });
  await withServer({ 'ssl.clientAuth': 'want' }, async (server, { authority, client }) => {
    const ca = authority.cert;
    assert.is((await talk(server.securePort, { ca })).text, 'imok');
    assert.is((await talk(server.securePort, { ca, ...client })).text, 'imok');
    assert.is((await talk(server.securePort, { ca, ...stranger })).text, '');
  });
  await withServer({ 'ssl.clientAuth': 'none' }, async (server, { authority }) => {
    const ca = authority.cert;
    assert.is((await talk(server.securePort, { ca, ...stranger })).text, 'imok');
  });
});

/** Whether a second connection resumes the session of the first, if the server offers one. */
async function isResumed(port: number, options: ConnectionOptions): Promise<boolean> {
  const offered = await new Promise<Buffer | undefined>((resolve) => {
    let session: Buffer | undefined;
    const socket = connectTls({ port, host: '127.0.0.1', ...options }, () => socket.end('ruok'));
    socket.on('session', (found: Buffer) => {
      session = found;
    });
    socket.on('close', () => resolve(session)).resume();
  });
  if (offered === undefined) return false;
  return await new Promise((resolve, reject) => {
    const again = { port, host: '127.0.0.1', ...options, session: offered };
    const socket = connectTls(again, () => {
      resolve(socket.isSessionReused());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('a session of TLS is resumed only where no certificate of a client counts', async () => {
  for (const [clientAuth, expected] of [
    ['none', true],
    ['want', false],
    ['need', false],
  ] as const) {
    await withServer({ 'ssl.clientAuth': clientAuth }, async (server, { authority, client }) => {
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const options = { ca: authority.cert, ...client, maxVersion };
        const how = `${clientAuth}, ${maxVersion}`;
        assert.is(await isResumed(server.securePort, options), expected, how);
      }
    });
  }
});

test('garbage, silence, and half a handshake affect only their own socket', () =>
  withServer({}, async (server, { authority, client }) => {
    const silent = await openSocket(server.securePort);
    const half = await openSocket(server.securePort, HALF_HELLO);
    try {
      await waitFor('an outstanding handshake', async () => {
        return (await metric(server, 'outstanding_tls_handshake')) === '1';
      });
      const plain = await readAll(await openSocket(server.securePort, 'ruok'));
      assert.equal([...plain], [0x15, 3, 3, 0, 2, 2, 70], 'a fatal alert');
      const broken = Buffer.concat([HALF_HELLO.subarray(0, 5), Buffer.alloc(512, 0xff)]);
      (await openSocket(server.securePort, broken)).resume();
      await waitFor('two failures', async () => {
        return (await metric(server, 'unsuccessful_handshake')) === '2';
      });
      const answer = await talk(server.securePort, { ca: authority.cert, ...client });
      assert.is(answer.text, 'imok');
    } finally {
      silent.destroy();
      half.destroy();
    }
    await waitFor('no outstanding handshake', async () => {
      return (await metric(server, 'outstanding_tls_handshake')) === '0';
    });
  }));

test('the number of handshakes in progress is limited', () =>
  withServer({ 'netty.server.outstandingHandshake.limit': '1' }, async (server, files) => {
    const half = await openSocket(server.securePort, HALF_HELLO);
    try {
      await waitFor('an outstanding handshake', async () => {
        return (await metric(server, 'outstanding_tls_handshake')) === '1';
      });
      const options = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
      assert.is((await talk(server.securePort, options)).text, '');
      assert.is(await metric(server, 'tls_handshake_exceeded'), '1');
      half.destroy();
      await waitFor('room for one', async () => {
        return (await talk(server.securePort, options)).text === 'imok';
      });
    } finally {
      half.destroy();
    }
  }));

test('one address cannot have more pending sockets than it may have clients', () =>
  withServer({ maxClientCnxns: '3' }, async (server, { authority, client }) => {
    const waiting = await Promise.all([1, 2, 3].map(() => openSocket(server.securePort)));
    try {
      const options = { ca: authority.cert, ...client };
      assert.is((await talk(server.securePort, options)).text, '');
      assert.is(await metric(server, 'connection_rejected'), '1');
      waiting[0]?.destroy();
      await waitFor('room for one', async () => {
        return (await talk(server.securePort, options)).text === 'imok';
      });
    } finally {
      for (const socket of waiting) socket.destroy();
    }
  }));

test('with client.portUnification, one port serves both kinds of clients and closes silent ones', () =>
  withServer(
    { 'client.portUnification': 'true', 'ssl.handshakeDetectionTimeoutMillis': '50' },
    async (server, { authority, client }) => {
      const options = { ca: authority.cert, ...client };
      assert.is((await talk(server.port, options)).text, 'imok');
      const plain = await askWord({ host: '127.0.0.1', port: server.port }, 'ruok');
      assert.is(plain.toString(), 'imok');
      const silent = await openSocket(server.port);
      assert.is((await readAll(silent)).length, 0);
    },
  ));

test('a changed certificate is served without a restart, but not one that cannot be read', async () => {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  const { authority, serverFile, client } = files;
  const server = await startSecure(files, { 'client.certReload': 'true' }, (message) =>
    warnings.push(message),
  );
  const options = { ca: authority.cert, ...client };
  const serial = async () => Number.parseInt((await talk(server.securePort, options)).serial, 16);
  const replace = (text: string) => renameSync(files.write('next.pem', text), serverFile);
  const old = connectTls({
    host: '127.0.0.1',
    port: server.securePort,
    servername: 'localhost',
    ...options,
  });
  try {
    await new Promise((resolve) => old.once('secureConnect', resolve));
    assert.is(await serial(), files.server.serial);
    const next = authority.issue({ names: ['localhost'] });
    replace(next.both);
    await waitFor('the new certificate', async () => (await serial()) === next.serial);
    replace('no certificate');
    await waitFor('a warning', () => warnings.some((text) => text.includes('stay in use')));
    assert.is(await serial(), next.serial);
    // Existing connections stay.
    const answer = readAll(old);
    old.write('ruok');
    assert.is((await answer).toString(), 'imok');
  } finally {
    old.destroy();
    await server.close();
    files.remove();
  }
});

test('a revoked certificate is refused if ssl.crl is on', async () => {
  const files = makeTlsFiles();
  const { authority, client } = files;
  const revoked = authority.issue({ names: ['revoked'] });
  // Trusted, but without a revocation list.
  const silent = makeAuthority('Silent CA');
  const unlisted = silent.issue({ names: ['unlisted'] });
  const pieces = [authority.cert, authority.revoke(revoked), silent.cert];
  const trust = files.write('trust.pem', pieces.join(''));
  const server = await startSecure(files, { 'ssl.crl': 'true', 'ssl.trustStore.location': trust });
  try {
    const ca = authority.cert;
    assert.is((await talk(server.securePort, { ca, ...client })).text, 'imok');
    assert.is((await talk(server.securePort, { ca, ...revoked })).text, '');
    assert.is((await talk(server.securePort, { ca, ...unlisted })).text, '');
  } finally {
    await server.close();
    files.remove();
  }
});

test('ssl.clientHostnameVerification requires the address of a client in its certificate', () =>
  withServer({ 'ssl.clientHostnameVerification': 'true' }, async (server, { authority }) => {
    const ca = authority.cert;
    const named = authority.issue({ names: ['127.0.0.1'] });
    const other = authority.issue({ names: ['10.1.2.3', 'elsewhere.example'] });
    assert.is((await talk(server.securePort, { ca, ...named })).text, 'imok');
    assert.is((await talk(server.securePort, { ca, ...other })).text, '');
    // The DNS has this name for the address, but nobody asks it.
    const byName = authority.issue({ names: ['localhost'] });
    assert.is((await talk(server.securePort, { ca, ...byName })).text, '');
  }));

test('ssl.hostnameVerification=false turns ssl.clientHostnameVerification off', () => {
  const options = { 'ssl.clientHostnameVerification': 'true', 'ssl.hostnameVerification': 'false' };
  return withServer(options, async (server, { authority }) => {
    const other = authority.issue({ names: ['elsewhere.example'] });
    assert.is((await talk(server.securePort, { ca: authority.cert, ...other })).text, 'imok');
  });
});

test('a server without a clientPort uses TLS only', async () => {
  const files = makeTlsFiles();
  const config = { ...files.config, secureClientPort: String(await freePort()) };
  const server = await startServer({ config });
  try {
    assert.is(server.port, -1);
    assert.is(server.connectString, `zks://127.0.0.1:${config.secureClientPort}`);
    const options = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
    assert.match((await talk(server.securePort, options, 'srvr')).text, 'Mode: standalone');
  } finally {
    await server.close();
    files.remove();
  }
});

test.run();
