// Sources of servers and credentials: profiles, properties files, files, and the environment.
import { X509Certificate } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HiddenLine, readAuthFile } from '../../../../../src/commands/connecting/auth-sources.js';
import { readClientProperties } from '../../../../../src/commands/connecting/client-properties.js';
import { configFile, readProfile } from '../../../../../src/commands/connecting/profiles.js';
import { readPromptRole } from '../../../../../src/commands/zksh/configuration.js';
import { startServer } from '../../../../../src/server/main.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { runZksh } from '../../../../support/terminal/run-zksh.js';
import { makeAuthority } from '../../../../support/tls/certs.js';

async function inFolder(run: (file: (name: string) => string) => Promise<void>): Promise<void> {
  const home = makeTempDir();
  try {
    await run((name) => join(home.path, name));
  } finally {
    home.remove();
  }
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

test('a profile gives servers and options, and the command line overrides it', () =>
  inFolder(async (file) => {
    const server = await startServer();
    try {
      writeFileSync(file('ann'), 'ann:secret\n', { mode: 0o600 });
      const profiles = {
        app: { connect: server.connectString, 'auth-file': 'ann' },
        look: { connect: server.connectString, readonly: true },
        prod: { connect: server.connectString, protected: true },
      };
      writeFileSync(file('config.json'), JSON.stringify({ profiles }));
      const env = { ZKSH_CONFIG: file('config.json') };
      const run = (...args: string[]) => runZksh(args, '', env);
      assert.is((await run('-P', 'app', '-c', 'create /mine x auth::cdrwa')).code, 0);
      assert.is((await run('-P', 'look', '-c', 'get /mine')).code, 8);
      assert.is((await run('-P', 'app', '-c', 'get /mine')).stdout, 'x\n');
      assert.is((await run('-P', 'look', '-c', 'create /b')).code, 1);
      const refused = await run('-P', 'prod', '-c', 'ls /; create /b');
      assert.equal([refused.stdout, refused.code], ['[mine, zookeeper]\n', 64]);
      assert.match(refused.stderr, /^create: not allowed: prod is protected\n/);
      assert.is((await run('-P', 'prod', '--allow-changes', '-c', 'create /b')).code, 0);
      assert.is((await run('-P', 'prod', '-c', 'deleteall -n /b')).code, 0);
      const elsewhere = await run('-P', 'app', '--timeout', '300', '127.0.0.1:1', '-c', 'ls /');
      assert.is(elsewhere.code, 3);
      const unknown = await run('-P', 'pord', '-c', 'ls /');
      assert.equal([unknown.code, /did you mean prod\?/.test(unknown.stderr)], [64, true]);
    } finally {
      await server.close();
    }
  }));

test('errors in a configuration are reported', () =>
  inFolder(async (file) => {
    const config = file('config.json');
    const cases: readonly (readonly [text: string, why: RegExp])[] = [
      ['{', /: not JSON/],
      ['{}', /missing "profiles"/],
      ['{"profiles": {}}', /unknown profile: "x"/],
      ['{"profiles": {"x": 1}}', /is not an object/],
      ['{"profiles": {"x": {"conect": "a"}}}', /unknown field: "conect"/],
      ['{"profiles": {"x": {"timeout": "1"}}}', /"1" \(expected a number\)/],
      ['{"profiles": {"x": {"password": "1"}}}', /contains a password/],
    ];
    for (const [text, why] of cases) {
      writeFileSync(config, text);
      assert.match(await messageOf(readProfile(config, 'x')), why, text);
    }
    assert.match(await messageOf(readProfile(file('none'), 'x')), /cannot read profiles/);
    writeFileSync(config, '{"profiles": {"x": {"cacert": "ca.pem", "key": "/k"}}}');
    assert.equal(await readProfile(config, 'x'), { cacert: file('ca.pem'), key: '/k' });
    assert.is(configFile({ XDG_CONFIG_HOME: '/c' }), '/c/zksh/config.json');
    assert.is(configFile({ ZKSH_CONFIG: '/z', XDG_CONFIG_HOME: '/c' }), '/z');
  }));

test('credentials come from a file that only its owner may read', () =>
  inFolder(async (file) => {
    writeFileSync(file('auth'), 'ann:p w\nsecond line\n', { mode: 0o600 });
    assert.is(await readAuthFile(file('auth')), 'ann:p w');
    chmodSync(file('auth'), 0o644);
    assert.match(await messageOf(readAuthFile(file('auth'))), /is readable by users/);
    assert.match(await messageOf(readAuthFile(file('none'))), /cannot read credentials/);
    writeFileSync(file('empty'), 'ann\n', { mode: 0o600 });
    assert.match(await messageOf(readAuthFile(file('empty'))), /no user:password/);
    const both = await runZksh(['--auth', 'a:b', '--auth-file', file('auth'), '-c', 'ls /']);
    assert.is(both.code, 64);
    const prompt = await runZksh(['--ask-auth', 'ann', '-c', 'ls /']);
    assert.equal([prompt.code, /no terminal/.test(prompt.stderr)], [64, true]);
    const user = await runZksh(['--auth', 'ann', '-c', 'ls /']);
    assert.equal([user.code, /no terminal/.test(user.stderr)], [64, true]);
  }));

test('a hidden line can be edited, entered, or canceled', () => {
  const line = new HiddenLine();
  assert.is(line.type('wrong\x15pa'), undefined);
  assert.is(line.type('x\x7fss\r'), 'entered');
  assert.is(line.text, 'pass');
  assert.is(new HiddenLine().type('a\x03'), 'interrupted');
});

test('a client configuration gives TLS with PEM files, and other stores are refused', () =>
  inFolder(async (file) => {
    const write = (lines: readonly string[]) => writeFileSync(file('p'), lines.join('\n'));
    const secure = 'zookeeper.client.secure=true';
    const { cert } = makeAuthority();
    const ca = String(new X509Certificate(cert));
    writeFileSync(file('ca.pem'), cert);
    const timeout = 'zookeeper.request.timeout=7000';
    write([secure, 'zookeeper.ssl.trustStore.location=ca.pem', 'jute.maxbuffer=0x200000', timeout]);
    assert.equal(await readClientProperties(file('p')), {
      maxFrameLength: 2097152,
      requestTimeoutMs: 7000,
      tls: { ca },
    });
    write([`${secure}\r`, 'zookeeper.ssl.trustStore.location : \\\r', '   ca\\.pem\r', '']);
    assert.equal(await readClientProperties(file('p')), { tls: { ca } });
    write(['a=1', 'b=\\u00']);
    assert.match(await messageOf(readClientProperties(file('p'))), /p:2: expected four hex digits/);
    write(['jute.maxbuffer=lots']);
    assert.match(await messageOf(readClientProperties(file('p'))), /jute\.maxbuffer/);
    writeFileSync(file('key.jceks'), Buffer.from('cececece00000002', 'hex'));
    write([secure, 'zookeeper.ssl.keyStore.location=key.jceks']);
    assert.match(await messageOf(readClientProperties(file('p'))), /is a JCEKS store/);
    const line = 'zookeeper.ssl.context.supplier.class=com.example.Supplier';
    write([secure, line]);
    assert.match(
      await messageOf(readClientProperties(file('p'))),
      `${line}: not supported: the connection would lack its protection`,
    );
    const trust = 'zookeeper.ssl.trustStore.location=ca.pem';
    for (const [key, tls] of [
      ['zookeeper.ssl.ocsp', { ca, isOcspChecked: true }],
      ['zookeeper.ssl.crl', { ca, isCrlChecked: true }],
    ] as const) {
      const asked = `${key}=true`;
      write([secure, trust, asked]);
      assert.equal(await readClientProperties(file('p')), { tls });
      write([secure, asked]);
      const text = `${asked}: needs zookeeper.ssl.trustStore.location`;
      assert.match(await messageOf(readClientProperties(file('p'))), text);
    }
    for (const [line, tls] of [
      ['zookeeper.ssl.hostnameVerification=false', { isNameVerified: false }],
      ['zookeeper.ssl.hostnameVerification=true', {}],
      ['zookeeper.ssl.protocol=TLSv1.2', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }],
      ['zookeeper.ssl.protocol=TLS', {}],
      ['zookeeper.ssl.enabledProtocols=TLSv1.3', { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' }],
      [
        'zookeeper.ssl.enabledProtocols=TLSv1.3, TLSv1.2',
        { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' },
      ],
      [
        'zookeeper.ssl.ciphersuites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256',
        { ciphers: 'ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_128_GCM_SHA256' },
      ],
    ] as const) {
      write([secure, line]);
      assert.equal(await readClientProperties(file('p')), { tls }, line);
    }
    for (const line of ['protocol=SSLv3', 'enabledProtocols=TLSv1.1', 'ciphersuites=NONE']) {
      write([secure, `zookeeper.ssl.${line}`]);
      assert.match(await messageOf(readClientProperties(file('p'))), /: unknown .*"\w/, line);
    }
    const run = await runZksh(['--properties', file('none'), '-c', 'ls /']);
    assert.is(run.code, 64);
    assert.match(run.stderr, /cannot read/);
  }));

test('a client configuration gives a SASL login by its JAAS file', () =>
  inFolder(async (file) => {
    const jaas = 'java.security.auth.login.config=jaas.conf\n';
    const module = 'org.apache.zookeeper.server.auth.DigestLoginModule';
    const login = `${module} required username="bob" password="secret";`;
    writeFileSync(file('jaas.conf'), `Client { ${login} }; Other { Krb5LoginModule required; };`);
    const read = (text: string) => {
      writeFileSync(file('p'), text);
      return readClientProperties(file('p'));
    };
    assert.equal(await read(jaas), { sasl: { user: 'bob', password: 'secret' } });
    assert.equal(await read(`${jaas}zookeeper.sasl.client=false`), {});
    assert.equal(await read('zookeeper.disableAutoWatchReset=true'), { shouldResetWatches: false });
    const kerberos = read(`${jaas}zookeeper.sasl.clientconfig=Other`);
    assert.match(
      await messageOf(kerberos),
      /section Other: Krb5LoginModule: needs useKeyTab=true or/,
    );
    const none = read(`${jaas}zookeeper.sasl.clientconfig=None`);
    assert.match(await messageOf(none), /section None: expected a DigestLoginModule with username/);
  }));

test('"prompt-role" of the configuration is true or false, and true by default', async () => {
  const home = makeTempDir();
  const file = join(home.path, 'config.json');
  try {
    assert.is(await readPromptRole(file), true);
    writeFileSync(file, '{"prompt-role": false}');
    assert.is(await readPromptRole(file), false);
    writeFileSync(file, '{"prompt-role": "no"}');
    const fault = await readPromptRole(file).catch((error: unknown) => String(error));
    assert.match(String(fault), /invalid "prompt-role" .expected true or false/);
  } finally {
    home.remove();
  }
});

test.run();
