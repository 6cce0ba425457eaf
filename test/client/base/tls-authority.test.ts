import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TlsOptions } from '../../../src/client/base/tls.js';
import { type Credentials, daysFromNow, makeAuthority } from '../../support/tls/certs.js';
import { connectFault, wordFault } from '../../support/tls/tls-faults.js';
import { makeTlsFiles, startSecure } from '../../support/tls/tls-world.js';

/** Certificates as of Apache's gencerts.sh: all have the name of their authority. */
test('a server with the name of its authority is trusted by the signature alone', async () => {
  const files = makeTlsFiles();
  const subject = [[['CN', 'Test CA']]] as const;
  const { authority } = files;
  const ca = makeAuthority('Other CA').cert + authority.cert;
  const answer = async (server: Credentials, tls: TlsOptions): Promise<string> => {
    const running = await startSecure(files, {
      'ssl.keyStore.location': files.write('named.pem', server.both),
      'ssl.clientAuth': 'none',
    });
    try {
      const [, text] = await wordFault(running.securePort, tls);
      const session = await connectFault(`zks://localhost:${running.securePort}`, tls);
      assert.is(session === 'connected', text === 'imok', session);
      return text;
    } finally {
      await running.close();
    }
  };
  try {
    const names = ['localhost'];
    const good = authority.issue({ subject, names });
    assert.is(await answer(good, { ca }), 'imok');
    assert.match(await answer(good, { ca, servername: 'zk9' }), 'localhost (expected zk9)');
    assert.match(await answer(good, {}), 'of an untrusted authority');
    assert.match(await answer(makeAuthority().issue({ subject, names }), { ca }), 'untrusted');
    const old = { notBefore: daysFromNow(-3), notAfter: daysFromNow(-2) };
    assert.match(await answer(authority.issue({ subject, names, ...old }), { ca }), 'expired');
    const client = authority.issue({ subject, names, isForClientsOnly: true });
    assert.match(await answer(client, { ca }), 'not for servers');
    const other = authority.within(good).issue({ subject, names });
    assert.match(await answer(other, { ca: ca + good.cert }), 'untrusted');
  } finally {
    files.remove();
  }
});

test.run();
