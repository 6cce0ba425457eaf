import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/index.js';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { type RunningEnsemble, startEnsemble } from '../../../../src/server/main.js';
import { listen, portOf } from '../../../../src/server/node/sockets/listen.js';
import { makeTransport } from '../../../../src/server/node/tls/quorum-tls.js';
import { makeAuthority } from '../../../support/certs.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { makeTlsFiles, type TlsFiles } from '../../../support/tls-world.js';
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

/** What comes from a port on which somebody speaks without TLS, until it is closed. */
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

test('servers elect, follow and serve over TLS; who speaks without it is shown the door', async () => {
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

test('a server that begins no handshake in time is let go, and the limit is reported', async () => {
  const files = makeTlsFiles();
  const limits: string[] = [];
  const wait = { 'ssl.handshakeDetectionTimeoutMillis': '50' };
  const options = { portUnification: 'true', ...wait, ...quorumConfig(files) };
  const result = configFromOptions(options);
  if (!('config' in result)) throw new Error('the options are no configuration');
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

test('a server with a certificate of another authority does not take part', async () => {
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

test('with portUnification servers with and without TLS are one ensemble', async () => {
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

test('servers authenticate by SASL over TLS; who does not is shown the door', async () => {
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

test('TLS without a certificate is refused, with the option that is missing', async () => {
  const start = startEnsemble({ size: 1, config: { sslQuorum: 'true' } });
  const refusal = await start.catch((error: Error) => error.message);
  assert.match(`${refusal}`, /ssl\.quorum\.keyStore\.location: missing: .* needs a certificate/);
});

test.run();
