import { createServer, type RequestListener } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../../support/machine/free-port.js';
import { opensslTest, startOcsp } from '../../../support/peers/ocsp-responder.js';
import {
  type CertificateOptions,
  type Credentials,
  makeAuthority,
} from '../../../support/tls/certs.js';
import { makeTlsFiles, startSecure, type TlsFiles, talk } from '../../../support/tls/tls-world.js';

interface World {
  readonly files: TlsFiles;
  readonly port: number;
  readonly warnings: readonly string[];
  /** What the server sends to a client with that certificate and these issuers. */
  ask(client: Credentials, ...issuers: readonly { readonly cert: string }[]): Promise<string>;
}

async function withServer(
  run: (world: World) => Promise<void>,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  const files = makeTlsFiles();
  const warnings: string[] = [];
  try {
    const server = await startSecure(files, { 'ssl.ocsp': 'true', ...config }, (message) =>
      warnings.push(message),
    );
    const port = server.securePort;
    const ask: World['ask'] = async ({ cert, key }, ...issuers) => {
      const chain = [cert, ...issuers.map((issuer) => issuer.cert)].join('');
      return (await talk(port, { ca: files.authority.cert, cert: chain, key })).text;
    };
    try {
      await run({ files, port, warnings, ask });
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

const client = (name: string, ocspUrl?: string): CertificateOptions => ({
  subject: [[['CN', name]]],
  ...(ocspUrl === undefined ? {} : { ocspUrl }),
});

opensslTest('with ssl.ocsp, a client counts only if its responder calls it good', () =>
  withServer(async ({ files, warnings, ask }) => {
    const { authority } = files;
    const responder = await startOcsp();
    const issue = (name: string) => authority.issue(client(name, responder.url));
    const [good, gone] = [issue('good'), issue('gone')];
    responder.learn({ authority, good: [good], revoked: [gone] });
    try {
      assert.is(await ask(good), 'imok');
      assert.is(await ask(good), 'imok');
      assert.is(responder.asked, 1, 'the answer is kept');
      assert.is(await ask(gone), '');
      assert.is(await ask(issue('unknown')), '');
    } finally {
      await responder.close();
    }
    assert.is(await ask(good), 'imok', 'the answer is still kept');
    assert.is(await ask(issue('late')), '');
    assert.is(await ask(authority.issue(client('nowhere'))), '');
    const said = warnings.join('\n');
    assert.match(said, /is not accepted \(OCSP: revoked since \d+-.*Z, by http:\/\/127\.0\.0\.1:/);
    assert.match(said, /OCSP: unknown to the responder, by/);
    assert.match(said, /OCSP: the responder is unreachable: .*ECONNREFUSED/);
    assert.match(said, /OCSP: it names no OCSP responder with http/);
  }),
);

opensslTest('each authority below the trusted one is asked about, too', () =>
  withServer(async ({ files, warnings, ask }) => {
    const { authority } = files;
    const [above, below] = [await startOcsp(), await startOcsp()];
    try {
      const sound = authority.subordinate('Sound CA', { ocspUrl: above.url });
      const gone = authority.subordinate('Gone CA', { ocspUrl: above.url });
      above.learn({ authority, good: [sound], revoked: [gone] });
      const [one, other] = [sound, gone].map((each) => each.issue(client('one', below.url)));
      assert.ok(one && other);
      below.learn({ authority: sound, good: [one] });
      assert.is(await ask(one, sound), 'imok');
      below.learn({ authority: gone, good: [other] });
      assert.is(await ask(other, gone), '');
      assert.match(warnings.join('\n'), `OCSP: revoked since`);
      assert.equal([above.asked, below.asked], [2, 2]);
    } finally {
      await above.close();
      await below.close();
    }
  }),
);

async function hostile(answer: RequestListener, run: (url: string) => Promise<void>) {
  const server = createServer(answer);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    await run(`http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a responder that answers nonsense, too much, or elsewhere counts for nothing', () =>
  withServer(async ({ files, warnings, ask }) => {
    const answers: Readonly<Record<string, RequestListener>> = {
      '/nonsense': (_, response) => response.end('no'),
      '/refused': (_, response) => response.writeHead(500).end(),
      '/moved': (_, response) => response.writeHead(302, { Location: '/good' }).end(),
      '/large': (_, response) => response.end(Buffer.alloc(70_000)),
      '/cut': (_, response) => {
        response.writeHead(200, { 'Content-Length': 1000 }).write('x');
        setImmediate(() => response.destroy());
      },
      '/closed': (request) => request.socket.destroy(),
    };
    await hostile(
      (request, response) => answers[request.url ?? '']?.(request, response),
      async (url) => {
        for (const path of Object.keys(answers)) {
          const one = files.authority.issue(client('one', url + path.slice(1)));
          assert.is(await ask(one), '', path);
        }
      },
    );
    const said = warnings.join('\n');
    assert.match(said, 'OCSP: the response is damaged');
    assert.match(said, 'OCSP: the responder answers HTTP 500');
    assert.match(said, 'OCSP: the responder answers HTTP 302');
    assert.match(said, 'OCSP: the response is longer than 65536 bytes');
    assert.match(said, 'OCSP: the responder');
  }));

test('a client sends and gets nothing while its responder is silent', async () => {
  const silent = createNetServer();
  const asked = new Promise<void>((resolve) => silent.once('connection', () => resolve()));
  const port = await freePort();
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  try {
    await withServer(async ({ files, ask }) => {
      const one = files.authority.issue(client('one', `http://127.0.0.1:${port}/`));
      const answer = ask(one);
      await asked;
      const other = makeAuthority('Other').issue(client('other'));
      assert.is(await ask(other), '');
      assert.is(await Promise.race([answer, Promise.resolve('waiting')]), 'waiting');
      answer.catch(() => undefined);
    });
  } finally {
    silent.close();
  }
});

test.run();
