import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codesOf, runZkops } from '../../support/terminal/run-zkops.js';
import { daysFromNow, makeAuthority } from '../../support/tls/certs.js';
import { makeTlsFiles, startSecure } from '../../support/tls/tls-world.js';

/** `zkops health` of a bundled server whose certificate has some days left. */
async function healthWith(days: number, ...more: readonly string[]) {
  const files = makeTlsFiles();
  try {
    const authority = makeAuthority();
    const names = ['localhost', '127.0.0.1'];
    const { both } = authority.issue({ names, notAfter: daysFromNow(days) });
    const location = files.write('short.pem', both);
    const ca = files.write('short-ca.pem', authority.cert);
    const server = await startSecure(files, {
      'ssl.keyStore.location': location,
      'ssl.clientAuth': 'none',
    });
    try {
      const servers = `zks://localhost:${server.securePort}`;
      const args = ['health', '--servers', servers, '--cacert', ca, '--confirm', '50', ...more];
      return await runZkops(args);
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

test('the days of a certificate are reported, and counted against their limits', async () => {
  const well = await healthWith(90, '-o', 'json');
  assert.is(well.exitCode, 0, well.out);
  const [member] = JSON.parse(well.out).members;
  const days = (Date.parse(member.certificateEnds) - Date.now()) / 86_400_000;
  assert.ok(days > 88 && days < 91);
  const soon = await healthWith(20);
  assert.equal([soon.exitCode, codesOf(soon)], [1, ['limit:certificate_days']]);
  const text = soon.out.replace(/\s+/g, ' ');
  assert.match(text, /days until its certificate expires: (19|20) days, below the limit of 30/);
  const now = await healthWith(3);
  assert.is(now.exitCode, 2);
});

test('a certificate that nobody here trusts is a row that says so, and not down', async () => {
  const files = makeTlsFiles();
  const server = await startSecure(files, { 'ssl.clientAuth': 'none' });
  try {
    const stranger = files.write('stranger.pem', makeAuthority().cert);
    const servers = `zks://localhost:${server.securePort}`;
    const run = await runZkops(['health', '--servers', servers, '--cacert', stranger]);
    assert.is(run.exitCode, 3);
    assert.is(run.result?.members[0]?.state, 'tls');
  } finally {
    await server.close();
    files.remove();
  }
});

test.run();
