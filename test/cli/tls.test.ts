import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/server/main.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { runZksh } from '../support/terminal/run-zksh.js';
import { daysFromNow } from '../support/tls/certs.js';
import { makeTlsFiles, startSecure, type TlsFiles, talk } from '../support/tls/tls-world.js';
import { waitFor } from '../support/wait-for.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));

function runZkops(
  ...args: readonly string[]
): Promise<{ code: number; out: string; error: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [ZKOPS, ...args], (error, out, text) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, error: text });
    });
  });
}

async function withServer(
  run: (server: RunningServer, files: TlsFiles, flags: readonly string[]) => Promise<void>,
): Promise<void> {
  const files = makeTlsFiles();
  try {
    const server = await startSecure(files);
    const cert = files.write('client.pem', files.client.cert);
    const key = files.write('client.key', files.client.key);
    try {
      await run(server, files, ['--cacert', files.caFile, '--cert', cert, '--key', key]);
    } finally {
      await server.close();
    }
  } finally {
    files.remove();
  }
}

test('zksh runs commands over TLS, below a chroot', () =>
  withServer(async (server, _files, flags) => {
    const target = `zks://localhost:${server.securePort}`;
    const first = await runZksh([...flags, target, '-c', 'create /app; create /app/a hello']);
    assert.is(first.code, 0, first.stderr);
    const second = await runZksh([...flags, `${target}/app`, '-c', 'get /a; whoami']);
    assert.is(second.code, 0, second.stderr);
    assert.match(second.stdout, 'hello');
    assert.match(second.stdout, 'CN=client,O=Test');
    const missing = await runZksh([...flags, `${target}/none`, '-c', 'create /a']);
    assert.is(missing.code, 4);
    assert.match(missing.stderr, 'chroot does not exist: /none');
    assert.match(missing.stderr, `connect to ${target} and create it there`);
  }));

test("a client configuration of Apache's shell gives TLS to zksh and to --zkcli", () =>
  withServer(async (server, files) => {
    const client = files.write('both.pem', files.client.both);
    const properties = files.write(
      'client.properties',
      [
        'zookeeper.client.secure=true',
        'zookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty',
        'zookeeper.ssl.trustStore.location=ca.pem',
        `zookeeper.ssl.keyStore.location=${client}`,
        'zookeeper.ssl.keyStore.type=PEM',
      ].join('\n'),
    );
    const target = `localhost:${server.securePort}`;
    const ours = await runZksh(['--properties', properties, target, '-c', 'whoami']);
    assert.match(ours.stdout, 'CN=client,O=Test', ours.stderr);
    const theirs = await runZksh([
      ...['--zkcli', '-server', target, '-client-configuration', properties, 'whoami'],
    ]);
    assert.match(theirs.stdout, 'CN=client,O=Test', theirs.stderr);
    assert.is(theirs.code, 0);
  }));

test('zksh reports why TLS failed, and exits with 3', () =>
  withServer(async (server, files, flags) => {
    const target = `zks://localhost:${server.securePort}`;
    const fail = (...args: readonly string[]) =>
      runZksh(['--timeout', '700', ...args, '-c', 'ls /']);
    const unknown = await fail(target);
    assert.is(unknown.code, 3);
    assert.match(unknown.stderr, 'of an untrusted authority');
    const nobody = await fail('--cacert', files.caFile, target);
    assert.is(nobody.code, 3);
    assert.match(nobody.stderr, 'requires a client certificate');
    const plain = await fail(...flags, `zks://localhost:${server.port}`);
    assert.is(plain.code, 3);
    assert.match(plain.stderr, 'it may be the plain client port');
    const reverse = await fail(`localhost:${server.securePort}`);
    assert.is(reverse.code, 3);
    assert.match(reverse.stderr, 'accepts only TLS on this port');
  }));

test('zksh refuses unusable TLS options, and exits with 2', async () => {
  const files = makeTlsFiles();
  try {
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await runZksh([...args, '-c', 'ls /']);
      assert.is(code, 64, stderr);
      return stderr;
    };
    assert.match(await refused('--cacert', files.caFile, 'localhost'), '--cacert requires TLS');
    assert.match(await refused('--insecure', '--embedded'), '--insecure requires TLS');
    const target = 'zks://localhost';
    assert.match(await refused('--cacert', '/nowhere.pem', target), '/nowhere.pem: cannot read');
    const keyless = await refused('--cert', files.caFile, target);
    assert.match(keyless, `--cert ${files.caFile}: given without a private key`);
    const native = await runZksh(['--client', 'native', target, '-c', 'ls /']);
    assert.match(native.stderr, 'cannot use TLS: use the built-in client');
  } finally {
    files.remove();
  }
});

test('zkops queries members over TLS, and a member whose TLS fails has a row with the reason', () =>
  withServer(async (server, files, flags) => {
    const old = files.authority.issue({
      names: ['localhost'],
      notBefore: daysFromNow(-3),
      notAfter: daysFromNow(-2),
    });
    const expired = await startSecure(files, {
      'ssl.keyStore.location': files.write('old.pem', old.both),
    });
    try {
      const good = `zks://localhost:${server.securePort}`;
      const alone = await runZkops('srvr', '--servers', good, ...flags);
      assert.is(alone.code, 0, alone.out + alone.error);
      const hosts = files.write(
        'hosts.txt',
        `${good}\nzks://localhost:${expired.securePort}\nlocalhost:${server.port}\n`,
      );
      const { out, code } = await runZkops('mntr', '--ensemble', hosts, ...flags, '-o', 'json');
      assert.is(code, 3, out);
      const { members } = JSON.parse(out) as {
        members: { server: string; state: string; fault?: { message: string } }[];
      };
      assert.equal(
        members.map(({ state }) => state),
        ['serving', 'tls', 'serving'],
      );
      assert.match(out, 'TLS failed: it has an expired certificate');
      const usage = await runZkops('ruok', '--servers', `localhost:${server.port}`, ...flags);
      assert.is(usage.code, 64);
      assert.match(usage.error, 'no member has the form zks://');
    } finally {
      await expired.close();
    }
  }));

test('zkserver serves only over TLS, and zkops finds it by its zoo.cfg', async () => {
  const files = makeTlsFiles();
  const port = await freePort();
  const config = files.write(
    'zoo.cfg',
    [
      `dataDir=${files.folder}/data`,
      `secureClientPort=${port}`,
      'secureClientPortAddress=127.0.0.1',
      'admin.enableServer=false',
      ...Object.entries(files.config).map(([key, value]) => `${key}=${value}`),
      '',
    ].join('\n'),
  );
  const cert = files.write('client.pem', files.client.both);
  const running = runZkserver(['start-foreground', config]);
  try {
    const options = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
    await waitFor('zkserver', async () => {
      return (await talk(port, options, 'srvr')).text.includes('Mode: standalone');
    });
    const flags = ['--cacert', files.caFile, '--cert', cert];
    const { code, out, error } = await runZkops('srvr', '--config', config, ...flags);
    assert.is(code, 0, out + error);
  } finally {
    await running.stop();
    files.remove();
  }
});

test.run();
