import { createServer } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { startEnsemble } from '../../../../src/server/main.js';
import { listen, portOf } from '../../../../src/server/node/sockets/listen.js';
import { makeTransport } from '../../../../src/server/node/tls/quorum-tls.js';
import { opensslTest, startOcsp } from '../../../support/peers/ocsp-responder.js';
import type { Credentials } from '../../../support/tls/certs.js';
import { makeTlsFiles, type TlsFiles } from '../../../support/tls/tls-world.js';
import { waitFor } from '../../../support/wait-for.js';

interface World {
  readonly files: TlsFiles;
  readonly config: Readonly<Record<string, string>>;
  readonly good: Credentials;
  readonly revoked: Credentials;
}

/** Servers with ssl.quorum.ocsp; their own certificate is good. */
async function withFiles(run: (world: World) => Promise<void>): Promise<void> {
  const files = makeTlsFiles();
  const { authority } = files;
  const responder = await startOcsp();
  const names = ['localhost', '127.0.0.1'];
  const [good, revoked] = [{ names }, { names }].map((options) =>
    authority.issue({ ...options, ocspUrl: responder.url }),
  );
  try {
    assert.ok(good && revoked);
    responder.learn({ authority, good: [good], revoked: [revoked] });
    const config = {
      sslQuorum: 'true',
      'ssl.quorum.ocsp': 'true',
      'ssl.quorum.keyStore.location': files.write('good.pem', good.both),
      'ssl.quorum.trustStore.location': files.caFile,
    };
    await run({ files, config, good, revoked });
  } finally {
    await responder.close();
    files.remove();
  }
}

const HERE = { host: '127.0.0.1', port: 0, backlog: 5, whom: 'other servers' };

function transportOf(config: Readonly<Record<string, string>>, warnings: string[]) {
  const result = configFromOptions(config);
  if (!('config' in result)) throw new Error('the options are not a configuration');
  return makeTransport(
    result.config,
    () => undefined,
    (message) => warnings.push(message),
  );
}

opensslTest('a server that dials another one refuses a revoked certificate', () =>
  withFiles(async ({ config, good, revoked }) => {
    for (const [own, expected] of [
      [good, 'accepted'],
      [revoked, /^certificate is not accepted: OCSP: revoked since /],
    ] as const) {
      const transport = transportOf(config, []);
      const server = createTlsServer({ cert: own.cert, key: own.key });
      try {
        await listen(server, HERE);
        const { socket, ready } = transport.open({ host: '127.0.0.1', port: portOf(server) });
        const verdict = await new Promise<string>((resolve) => {
          socket.once(ready, () => resolve('accepted'));
          socket.once('error', (error) => resolve(error.message));
        });
        socket.destroy();
        assert.match(verdict, expected);
      } finally {
        transport.close();
        server.close();
      }
    }
  }),
);

opensslTest('a server that another one dials refuses a revoked certificate', () =>
  withFiles(async ({ files, config, good, revoked }) => {
    const warnings: string[] = [];
    const accepted: string[] = [];
    const transport = transportOf(config, warnings);
    const server = createServer((socket) =>
      transport.take(socket, (secured) => {
        secured.once('data', (bytes) => accepted.push(bytes.toString()));
      }),
    );
    try {
      await listen(server, HERE);
      const ca = files.authority.cert;
      const place = { host: '127.0.0.1', port: portOf(server), ca };
      const dial = ({ cert, key }: Credentials, word: string) => {
        const socket = connectTls({ ...place, cert, key }, () => socket.write(word));
        return socket.on('error', () => undefined).resume();
      };
      const [refused, taken] = [dial(revoked, 'revoked'), dial(good, 'good')];
      await waitFor('the words of the other', () => accepted.length > 0);
      await waitFor('its end', () => refused.closed);
      assert.equal(accepted, ['good']);
      assert.match(warnings.join('\n'), /TLS between servers: .*OCSP: revoked since/);
      taken.destroy();
    } finally {
      transport.close();
      server.close();
    }
  }),
);

opensslTest('servers with good certificates form an ensemble, a revoked one stays outside', () =>
  withFiles(async ({ files, config, revoked }) => {
    const keyFile = files.write('revoked.pem', revoked.both);
    const warnings: string[] = [];
    const ensemble = await startEnsemble({
      config,
      configOf: (sid) => (sid === 1 ? { 'ssl.quorum.keyStore.location': keyFile } : {}),
      isWaitedFor: (sid) => sid !== 1,
      onWarning: (message) => warnings.push(message),
    });
    try {
      await waitFor('the revoked one to be named', () =>
        warnings.some((warning) => /TLS between servers: .*OCSP: revoked/.test(warning)),
      );
      const [first, second, third] = ensemble.members;
      assert.is(first?.mode, undefined);
      assert.equal([second?.mode, third?.mode].sort(), ['follower', 'leader']);
    } finally {
      await ensemble.close();
    }
  }),
);

test.run();
