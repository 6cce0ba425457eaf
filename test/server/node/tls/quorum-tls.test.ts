import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/index.js';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { type RunningEnsemble, startEnsemble } from '../../../../src/server/main.js';
import { listen, portOf } from '../../../../src/server/node/sockets/listen.js';
import { makeTransport } from '../../../../src/server/node/tls/quorum-tls.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeAuthority } from '../../../support/tls/certs.js';
import { makeTlsFiles, type TlsFiles } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

function quorumConfig(files: TlsFiles): Record<string, string> {
  return {
    'ssl.quorum.keyStore.location': files.serverFile,
    'ssl.quorum.trustStore.location': files.caFile,
  };
}

async function writeAndRead(ensemble: RunningEnsemble): Promise<void> {
  const client = createClient({ connectString: ensemble.connectString });
  try {
    await client.connect();
    await client.create('/a', Buffer.from('over TLS'));
    assert.is(`${(await client.getData('/a')).data}`, 'over TLS');
  } finally {
    await client.close();
  }
}

/** Sends bytes without TLS to a port. Returns the response until the close. */
function speakPlainly(port: number): Promise<Buffer> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.alloc(64, 0xff)));
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

test('servers elect, follow, and serve over TLS, and refuse connections without it', async () => {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  const ensemble = await startEnsemble({
    config: { sslQuorum: 'true', ...quorumConfig(files) },
    onWarning: (message) => warnings.push(message),
  });
  try {
    await writeAndRead(ensemble);
    const [first] = ensemble.members;
    for (const port of [first?.quorumPort, first?.electionPort]) {
      // A fatal alert of TLS: protocol_version.
      assert.equal([...(await speakPlainly(port ?? 0)).subarray(0, 1)], [0x15]);
    }
    assert.match(warnings.join('\n'), /TLS between servers: 127\.0\.0\.1:\d+ spoke without TLS/);
    assert.ok(ensemble.members.every(({ mode }) => mode !== undefined));
  } finally {
    await ensemble.close();
    files.remove();
  }
});

for (const [kind, isTrusted] of [
  ['that has the name of its authority', true],
  ['that only claims the name of the authority', false],
] as const) {
  test(`servers with a certificate ${kind} ${isTrusted ? 'trust' : 'refuse'} each other`, async () => {
    const files = makeTlsFiles();
    const warnings: string[] = [];
    const issuer = isTrusted ? files.authority : makeAuthority();
    const names = ['localhost', '127.0.0.1'];
    const { both } = issuer.issue({ subject: [[['CN', 'Test CA']]], names });
    const store = { 'ssl.quorum.keyStore.location': files.write('own.pem', both) };
    const checks = { 'ssl.quorum.hostnameVerification': 'true' };
    const ensemble = await startEnsemble({
      config: { sslQuorum: 'true', ...quorumConfig(files), ...store, ...checks },
      isWaitedFor: () => isTrusted,
      onWarning: (message) => warnings.push(message),
    });
    try {
      if (isTrusted) await writeAndRead(ensemble);
      else {
        const refusal = /certificate is not accepted: DEPTH_ZERO_SELF_SIGNED_CERT/;
        await waitFor('a refusal', () => warnings.some((warning) => refusal.test(warning)));
        assert.ok(ensemble.members.every(({ mode }) => mode === undefined));
      }
    } finally {
      await ensemble.close();
      files.remove();
    }
  });
}

test('a server that begins no handshake in time is disconnected, and the limit is reported', async () => {
  const files = makeTlsFiles();
  const limits: string[] = [];
  const wait = { 'ssl.quorum.handshakeDetectionTimeoutMillis': '50' };
  const options = { portUnification: 'true', ...wait, ...quorumConfig(files) };
  const result = configFromOptions(options);
  if (!('config' in result)) throw new Error('the options are not a configuration');
  const transport = makeTransport(
    result.config,
    (event) => {
      if (event.kind === 'limit-exceeded') limits.push(`${event.limit} ${event.value}`);
    },
    () => undefined,
  );
  const server = createServer((socket) => transport.take(socket, () => undefined));
  try {
    await listen(server, { host: '127.0.0.1', port: 0, backlog: 5, whom: 'other servers' });
    const silent = connect(portOf(server), '127.0.0.1').resume();
    await waitFor('its end', () => silent.closed);
    assert.equal(limits, ['tlsHandshakeTime 50']);
  } finally {
    transport.close();
    server.close();
    files.remove();
  }
});

/** Whether a server that dials another one accepts its certificate. */
async function isAccepted(
  files: TlsFiles,
  names: readonly string[],
  host: string,
  config: Readonly<Record<string, string>>,
): Promise<boolean> {
  const result = configFromOptions({ sslQuorum: 'true', ...quorumConfig(files), ...config });
  if (!('config' in result)) throw new Error('the options are not a configuration');
  const transport = makeTransport(
    result.config,
    () => undefined,
    () => undefined,
  );
  const { cert, key } = files.authority.issue({ names });
  const server = createTlsServer({ cert, key });
  try {
    await listen(server, { host: '127.0.0.1', port: 0, backlog: 5, whom: 'other servers' });
    const { socket, ready } = transport.open({ host, port: portOf(server) });
    try {
      return await new Promise((resolve) => {
        socket.once(ready, () => resolve(true));
        socket.once('error', () => resolve(false));
      });
    } finally {
      socket.destroy();
    }
  } finally {
    transport.close();
    server.close();
  }
}

test('the names of servers count without fips-mode, or where the file asks for them', async () => {
  const files = makeTlsFiles();
  const verify = 'ssl.quorum.hostnameVerification';
  try {
    for (const [config, isTaken] of [
      [{}, true],
      [{ 'fips-mode': 'false' }, false],
      [{ [verify]: 'true' }, false],
      [{ 'fips-mode': 'false', [verify]: 'false' }, true],
    ] as const) {
      const found = await isAccepted(files, ['elsewhere.example'], '127.0.0.1', config);
      assert.is(found, isTaken, JSON.stringify(config));
    }
    const byAddress = await isAccepted(files, ['127.0.0.1'], 'localhost', { [verify]: 'true' });
    assert.ok(byAddress, 'the address of a name is enough');
    const [name, other] = [['localhost'], ['elsewhere.example']];
    const fips = { 'fips-mode': 'false' };
    assert.ok(await isAccepted(files, name, '127.0.0.1', fips), 'a name of an address is enough');
    assert.not(await isAccepted(files, other, '127.0.0.1', fips), 'not a name of another one');
    const noLookup = { ...fips, 'ssl.quorum.allowReverseDnsLookup': 'false' };
    assert.not(await isAccepted(files, name, '127.0.0.1', noLookup), 'without a lookup, it is not');
  } finally {
    files.remove();
  }
});

test('a server with a certificate of another authority cannot join', async () => {
  const files = makeTlsFiles();
  const stranger = makeAuthority().issue({ names: ['localhost', '127.0.0.1'] });
  const keyFile = files.write('stranger.pem', stranger.both);
  const warnings: string[] = [];
  const ensemble = await startEnsemble({
    config: { sslQuorum: 'true', ...quorumConfig(files) },
    configOf: (sid) => (sid === 1 ? { 'ssl.quorum.keyStore.location': keyFile } : {}),
    isWaitedFor: (sid) => sid !== 1,
    onWarning: (message) => warnings.push(message),
  });
  try {
    await waitFor('the stranger to be named', () =>
      warnings.some((warning) => /TLS between servers: .* certificate/.test(warning)),
    );
    assert.is(ensemble.members[0]?.mode, undefined);
    const [, second, third] = ensemble.members;
    assert.equal([second?.mode, third?.mode].sort(), ['follower', 'leader']);
  } finally {
    await ensemble.close();
    files.remove();
  }
});

test('with portUnification, servers with and without TLS form one ensemble', async () => {
  const files = makeTlsFiles();
  const ensemble = await startEnsemble({
    config: { portUnification: 'true', ...quorumConfig(files) },
    configOf: (sid) => ({ sslQuorum: sid === 2 ? 'false' : 'true' }),
  });
  try {
    await writeAndRead(ensemble);
  } finally {
    await ensemble.close();
    files.remove();
  }
});

test('servers authenticate with SASL over TLS, and others are refused', async () => {
  const files = makeTlsFiles();
  const home = makeTempDir('quorum-auth');
  const jaas = join(home.path, 'jaas.conf');
  const module = 'org.apache.zookeeper.server.auth.DigestLoginModule required';
  writeFileSync(
    jaas,
    `QuorumServer { ${module} user_zk="secret"; };
QuorumLearner { ${module} username="zk" password="secret"; };`,
  );
  const warnings: string[] = [];
  const ensemble = await startEnsemble({
    config: {
      portUnification: 'true',
      sslQuorum: 'true',
      ...quorumConfig(files),
      'java.security.auth.login.config': jaas,
      'quorum.auth.enableSasl': 'true',
      'quorum.auth.learnerRequireSasl': 'true',
      'quorum.auth.serverRequireSasl': 'true',
    },
    onWarning: (message) => warnings.push(message),
  });
  try {
    await writeAndRead(ensemble);
    await speakPlainly(ensemble.members[0]?.quorumPort ?? 0);
    assert.match(
      warnings.join('\n'),
      /quorum port: authentication of 127\.0\.0\.1 as a server failed: it did not try/,
    );
    assert.ok(ensemble.members.every(({ mode }) => mode !== undefined));
  } finally {
    await ensemble.close();
    files.remove();
    home.remove();
  }
});

test('TLS without a certificate is refused, with the missing option', async () => {
  const start = startEnsemble({ size: 1, config: { sslQuorum: 'true' } });
  const refusal = await start.catch((error: Error) => error.message);
  assert.match(`${refusal}`, /ssl\.quorum\.keyStore\.location: missing: .* needs a certificate/);
});

test.run();
