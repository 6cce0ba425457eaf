import { createServer, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { listen, portOf } from '../../../src/server/node/sockets/listen.js';
import { opensslTest, startOcsp } from '../../support/peers/ocsp-responder.js';
import type { Credentials } from '../../support/tls/certs.js';
import { connectFault, wordFault } from '../../support/tls/tls-faults.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../../support/tls/tls-world.js';

interface World {
  readonly files: TlsFiles;
  readonly good: Credentials;
  readonly revoked: Credentials;
}

async function withFiles(run: (world: World) => Promise<void>): Promise<void> {
  const files = makeTlsFiles();
  const { authority } = files;
  const responder = await startOcsp();
  const issue = () =>
    authority.issue({ names: ['localhost', '127.0.0.1'], ocspUrl: responder.url });
  const [good, revoked] = [issue(), issue()];
  responder.learn({ authority, good: [good], revoked: [revoked] });
  try {
    await run({ files, good, revoked });
  } finally {
    await responder.close();
    files.remove();
  }
}

opensslTest('with isOcspChecked, a client takes only a server that its responder calls good', () =>
  withFiles(async ({ files, good, revoked }) => {
    const tls = {
      ca: files.authority.cert,
      cert: files.client.cert,
      key: files.client.key,
      isOcspChecked: true,
    };
    for (const [own, expected] of [
      [good, undefined],
      [revoked, /has a certificate that is not accepted \(OCSP: revoked since /],
      [files.server, /not accepted \(OCSP: it names no OCSP responder/],
    ] as const) {
      const store = { 'ssl.keyStore.location': files.write('own.pem', own.both) };
      const server = await startSecure(files, store);
      try {
        const [reason, text] = await wordFault(server.securePort, tls);
        const session = await connectFault(`zks://localhost:${server.securePort}`, tls);
        if (expected === undefined)
          assert.equal([reason, text, session], ['', 'imok', 'connected']);
        else {
          assert.is(reason, 'tls');
          assert.match(text, expected);
          assert.match(session, expected);
        }
        const trusting = { ...tls, isOcspChecked: false };
        assert.equal(await wordFault(server.securePort, trusting), ['', 'imok']);
      } finally {
        await server.close();
      }
    }
  }),
);

opensslTest('what a server sends before its responder has answered counts for nothing', () =>
  withFiles(async ({ files, revoked }) => {
    const tls = { ca: files.authority.cert, isOcspChecked: true };
    const { cert, key } = revoked;
    const server = createServer({ cert, key }, (socket: TLSSocket) => {
      socket.on('error', () => undefined);
      socket.end('imok');
    });
    try {
      await listen(server, { host: '127.0.0.1', port: 0, backlog: 5, whom: 'clients' });
      const [reason, text] = await wordFault(portOf(server), tls);
      assert.is(reason, 'tls');
      assert.match(text, /OCSP: revoked since /);
      const session = await connectFault(`zks://localhost:${portOf(server)}`, tls);
      assert.match(session, /OCSP: revoked since |sent bytes before it was trusted/);
    } finally {
      server.close();
    }
  }),
);

test('isOcspChecked needs the authorities', () => {
  const options = { connectString: 'zks://localhost', tls: { isOcspChecked: true } };
  assert.throws(
    () => createClient(options),
    (error: Error) => error.message === 'tls.ca: not given, but isOcspChecked needs it',
  );
});

test.run();
