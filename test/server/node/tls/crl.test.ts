import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../../src/server/config/config.js';
import { listen, portOf } from '../../../../src/server/node/sockets/listen.js';
import { makeTransport } from '../../../../src/server/node/tls/quorum-tls.js';
import { type ListServer, startLists } from '../../../support/peers/list-server.js';
import { opensslTest, startOcsp } from '../../../support/peers/ocsp-responder.js';
import { daysFromNow } from '../../../support/tls/certs.js';
import { connectFault, wordFault } from '../../../support/tls/tls-faults.js';
import { makeTlsFiles, startSecure, type TlsFiles, talk } from '../../../support/tls/tls-world.js';

interface World {
  readonly files: TlsFiles;
  readonly lists: ListServer;
}

async function withLists(run: (world: World) => Promise<void>): Promise<void> {
  const files = makeTlsFiles();
  const lists = await startLists();
  try {
    await run({ files, lists });
  } finally {
    await lists.close();
    files.remove();
  }
}

interface Serving extends World {
  readonly warnings: readonly string[];
  /** What the server sends to a client with that certificate and these issuers. */
  ask(
    client: { readonly cert: string; readonly key: string },
    ...issuers: readonly { readonly cert: string }[]
  ): Promise<string>;
}

const withServer = (
  run: (world: Serving) => Promise<void>,
  config: Readonly<Record<string, string>> = { 'ssl.crl': 'true' },
): Promise<void> =>
  withLists(async ({ files, lists }) => {
    const warnings: string[] = [];
    const server = await startSecure(files, config, (message) => warnings.push(message));
    const ask: Serving['ask'] = async ({ cert, key }, ...issuers) => {
      const chain = [cert, ...issuers.map((issuer) => issuer.cert)].join('');
      return (await talk(server.securePort, { ca: files.authority.cert, cert: chain, key })).text;
    };
    try {
      await run({ files, lists, warnings, ask });
    } finally {
      await server.close();
    }
  });

test('with ssl.crl, a client counts only if a list that it names does not name it', () =>
  withServer(async ({ files: { authority }, lists, warnings, ask }) => {
    const issue = (...paths: string[]) =>
      authority.issue({ crlUrls: paths.map((path) => lists.url + path) });
    const [good, gone] = [issue('/ca.crl'), issue('/ca.crl')];
    lists.serve('/ca.crl', authority.list({ revoked: [gone] }));
    assert.is(await ask(good), 'imok');
    assert.is(await ask(gone), '');
    assert.is(await ask(good), 'imok');
    assert.is(lists.asked, 1, 'the list is kept');
    assert.is(await ask(issue('/none.crl')), '');
    assert.is(await ask(issue('/none.crl', '/ca.crl')), 'imok', 'the second place has it');
    assert.is(await ask(authority.issue()), '');
    lists.serve('/old.crl', authority.list({ nextUpdate: daysFromNow(-0.5) }));
    assert.is(await ask(issue('/old.crl')), '');
    lists.serve('/nonsense', Buffer.from('no'));
    assert.is(await ask(issue('/nonsense')), '');
    lists.serve('/large', Buffer.alloc(5 * 1024 * 1024));
    assert.is(await ask(issue('/large')), '');
    const said = warnings.join('\n');
    assert.match(said, /is not accepted \(CRL: revoked since \d+-.*Z, by http:.*ca\.crl\)/);
    assert.match(said, /CRL: the server of the list answers HTTP 404, by http:.*none\.crl/);
    assert.match(said, 'CRL: it names no revocation list with http://');
    assert.match(said, 'CRL: the list is stale, by ');
    assert.match(said, 'CRL: the list is damaged');
    assert.match(said, 'CRL: the response is longer than 4194304 bytes');
    await lists.close();
    assert.is(await ask(good), 'imok', 'the list is still kept');
    assert.is(await ask(issue('/late.crl')), '');
    assert.match(warnings.join('\n'), 'CRL: the server of the list is unreachable: ');
  }));

test('each authority below the trusted one needs a list, too', () =>
  withServer(async ({ files: { authority }, lists, warnings, ask }) => {
    const crlUrls = [`${lists.url}/root.crl`];
    const [sound, bad] = ['Sound CA', 'Bad CA'].map((name) =>
      authority.subordinate(name, { crlUrls }),
    );
    assert.ok(sound && bad);
    lists.serve('/root.crl', authority.list({ revoked: [bad] }));
    for (const [authorityBelow, expected] of [
      [sound, 'imok'],
      [bad, ''],
    ] as const) {
      lists.serve(`/${expected}.crl`, authorityBelow.list());
      const one = authorityBelow.issue({ crlUrls: [`${lists.url}/${expected}.crl`] });
      assert.is(await ask(one, authorityBelow), expected);
    }
    // A list of another authority says nothing.
    const stray = sound.issue({ crlUrls });
    assert.is(await ask(stray, sound), '');
    assert.match(warnings.join('\n'), 'CRL: the list is of another issuer');
  }));

opensslTest('with ssl.ocsp, a list counts only if no responder answers', () =>
  withServer(
    async ({ files: { authority }, lists, warnings, ask }) => {
      const responder = await startOcsp();
      const down = 'http://127.0.0.1:1/';
      const crlUrls = [`${lists.url}/ca.crl`];
      try {
        const good = authority.issue({ ocspUrl: responder.url, crlUrls });
        const gone = authority.issue({ ocspUrl: responder.url, crlUrls });
        const [fallen, listed] = [
          authority.issue({ ocspUrl: down, crlUrls }),
          authority.issue({ ocspUrl: down, crlUrls }),
        ];
        responder.learn({ authority, good: [good], revoked: [gone] });
        lists.serve('/ca.crl', authority.list({ revoked: [listed, good] }));
        assert.is(await ask(good), 'imok');
        assert.is(await ask(gone), '');
        assert.is(lists.asked, 0);
        assert.is(await ask(fallen), 'imok');
        assert.is(await ask(listed), '');
        assert.match(warnings.join('\n'), /OCSP: .*unreachable.*; CRL: revoked since/);
      } finally {
        await responder.close();
      }
    },
    { 'ssl.crl': 'true', 'ssl.ocsp': 'true' },
  ),
);

test('lists in the trust store are enough, and then none is fetched', () =>
  withLists(async ({ files, lists }) => {
    const { authority } = files;
    const crlUrls = [`${lists.url}/ca.crl`];
    const [good, gone] = [authority.issue({ crlUrls }), authority.issue({ crlUrls })];
    const store = files.write('lists.pem', authority.cert + authority.revoke(gone));
    const config = { 'ssl.crl': 'true', 'ssl.trustStore.location': store };
    const server = await startSecure(files, config);
    try {
      const ca = authority.cert;
      assert.is((await talk(server.securePort, { ca, ...good })).text, 'imok');
      assert.is((await talk(server.securePort, { ca, ...gone })).text, '');
      assert.is(lists.asked, 0);
    } finally {
      await server.close();
    }
  }));

test('with ssl.quorum.crl, servers refuse each other by the lists', () =>
  withLists(async ({ files, lists }) => {
    const { authority } = files;
    const names = ['localhost', '127.0.0.1'];
    const issue = () => authority.issue({ names, crlUrls: [`${lists.url}/ca.crl`] });
    const [good, gone] = [issue(), issue()];
    lists.serve('/ca.crl', authority.list({ revoked: [gone] }));
    const warnings: string[] = [];
    const transportOf = (own: typeof good) => {
      const result = configFromOptions({
        sslQuorum: 'true',
        'ssl.quorum.crl': 'true',
        'ssl.quorum.keyStore.location': files.write(`${own.serial}.pem`, own.both),
        'ssl.quorum.trustStore.location': files.caFile,
      });
      if (!('config' in result)) throw new Error('the options are not a configuration');
      return makeTransport(
        result.config,
        () => undefined,
        (message) => warnings.push(message),
      );
    };
    const here = { host: '127.0.0.1', port: 0, backlog: 5, whom: 'other servers' };
    for (const [own, expected] of [
      [good, 'accepted'],
      [gone, /^certificate is not accepted: CRL: revoked since /],
    ] as const) {
      const [dialing, taking] = [transportOf(good), transportOf(own)];
      const dialed = createTlsServer({ cert: own.cert, key: own.key });
      const taken = createServer((socket) => taking.take(socket, (secured) => secured.end('hi')));
      try {
        await listen(dialed, here);
        const { socket, ready } = dialing.open({ host: '127.0.0.1', port: portOf(dialed) });
        const verdict = await new Promise<string>((resolve) => {
          socket.once(ready, () => resolve('accepted'));
          socket.once('error', (error) => resolve(error.message));
        });
        socket.destroy();
        assert.match(verdict, expected);
        await listen(taken, here);
        const options = { ca: authority.cert, cert: own.cert, key: own.key };
        const { text } = await talk(portOf(taken), options);
        assert.is(text, own === good ? 'hi' : '');
      } finally {
        dialing.close();
        taking.close();
        dialed.close();
        taken.close();
      }
    }
    assert.match(warnings.join('\n'), /TLS between servers: .*CRL: revoked since/);
  }));

test('with isCrlChecked, a client takes only a server that no list names', () =>
  withLists(async ({ files, lists }) => {
    const { authority } = files;
    const names = ['localhost', '127.0.0.1'];
    const issue = () => authority.issue({ names, crlUrls: [`${lists.url}/ca.crl`] });
    const [good, gone] = [issue(), issue()];
    lists.serve('/ca.crl', authority.list({ revoked: [gone] }));
    const tls = {
      ca: authority.cert,
      cert: files.client.cert,
      key: files.client.key,
      isCrlChecked: true,
    };
    for (const [own, expected] of [
      [good, undefined],
      [gone, /has a certificate that is not accepted \(CRL: revoked since /],
      [files.server, /not accepted \(CRL: it names no revocation list/],
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
      } finally {
        await server.close();
      }
    }
  }));

test.run();
