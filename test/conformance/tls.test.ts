// TLS between bundled and Apache's programs: its Java shell on the bundled server's secure port,
// and the built-in client on that of Apache's server over Netty.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseServerAddress } from '../../src/client/base/connect-string.js';
import { ZooKeeperError } from '../../src/client/base/errors.js';
import { askWord } from '../../src/client/base/four-letter.js';
import type { TlsOptions } from '../../src/client/base/tls.js';
import { ZooKeeper } from '../../src/client/zookeeper.js';
import { Perms } from '../../src/protocol/perms.js';
import { NETTY_JARS, oracleTest, spawnJava, startOracle } from '../support/apache/oracle.js';
import { freePort } from '../support/machine/free-port.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { ia5Value, makeAuthority, type Subject } from '../support/tls/certs.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../support/tls/tls-world.js';

function storesOf(keyFile: string, files: TlsFiles): Record<string, string> {
  return {
    'zookeeper.ssl.keyStore.location': keyFile,
    'zookeeper.ssl.keyStore.type': 'PEM',
    'zookeeper.ssl.trustStore.location': files.caFile,
    'zookeeper.ssl.trustStore.type': 'PEM',
  };
}

/** Runs one command of Apache's Java shell over TLS. Returns its output. */
function runJavaShell(
  port: number,
  files: TlsFiles,
  keyFile: string,
  command: readonly string[],
): Promise<string> {
  const properties = {
    'zookeeper.client.secure': 'true',
    'zookeeper.clientCnxnSocket': 'org.apache.zookeeper.ClientCnxnSocketNetty',
    ...storesOf(keyFile, files),
  };
  const main = 'org.apache.zookeeper.ZooKeeperMain';
  const args = [main, '-server', `localhost:${port}`, ...command];
  const { output, ended } = watchProcess(spawnJava(args, properties, NETTY_JARS));
  return ended.then(output);
}

oracleTest("Apache's Java shell works over TLS, with its certificate as identity", async () => {
  const files = makeTlsFiles();
  const server = await startSecure(files);
  const keyFile = files.write('client.pem', files.client.both);
  const run = (...command: readonly string[]) =>
    runJavaShell(server.securePort, files, keyFile, command);
  try {
    assert.match(await run('create', '/a', 'hello'), 'Created /a');
    assert.match(await run('get', '/a'), '\nhello\n');
    assert.match(await run('whoami'), 'x509: CN=client,O=Test');
  } finally {
    await server.close();
    files.remove();
  }
});

/** A subject that uses every rule of RFC 2253 as Java applies it. */
const ODD_SUBJECT: Subject = [
  [['C', 'DE']],
  [['O', 'Acme, Inc. + "Söhne" <#;=\\>']],
  [
    ['OU', ' a  b '],
    ['CN', '#x'],
  ],
  [['1.2.840.113549.1.9.1', ia5Value('a@b.c')]],
  [['DC', 'example']],
  [['UID', 'u1']],
];

const NAMES = [
  'CN=client,O=Test',
  'client',
  '',
  'cn=x;o=y',
  'OU=a+CN=b',
  'CN=a\\,b,O="c,d"',
  'XX=client',
  'CN=a,',
  'CN',
  '1.2.840.113549.1.9.1=#1603614062',
  '1.2.840.113549.1.9.1=#1605614062',
  'OID.2.5.4.3=x',
  'CN=',
  'EMAILADDRESS=a@b.c,ST=x',
];

/** How a server reads a certificate, and names in ACLs. */
async function findingsOf(port: number, tls: TlsOptions): Promise<readonly string[]> {
  const client = new ZooKeeper({ connectString: `zks://localhost:${port}`, tls });
  const findings: string[] = [];
  try {
    await client.connect();
    for (const { authScheme, user } of await client.whoAmI())
      findings.push(`${authScheme} ${user}`);
    await client.create('/names', null);
    for (const name of NAMES) {
      const acl = [{ perms: Perms.ALL, id: { scheme: 'x509', id: name } }];
      const path = await client.create('/names/n', null, { acl }).then(
        () => 'created',
        (error) => (error instanceof ZooKeeperError ? error.code : String(error)),
      );
      findings.push(`${name}: ${path}`);
      if (path === 'created') await client.delete('/names/n');
    }
    const own = { scheme: 'auth', id: '' };
    await client.create('/own', null, { acl: [{ perms: Perms.ALL, id: own }] });
    for (const { perms, id } of (await client.getACL('/own')).acl) {
      findings.push(`${perms} ${id.scheme} ${id.id}`);
    }
    await client.addAuth('x509', '');
    findings.push(String((await client.whoAmI()).length));
  } finally {
    await client.close();
  }
  return findings;
}

async function faultOf(port: number, tls?: TlsOptions): Promise<string> {
  const scheme = tls === undefined ? '' : 'zks://';
  const address = parseServerAddress(`${scheme}localhost:${port}`);
  try {
    return (await askWord(address, 'ruok', tls === undefined ? {} : { tls })).toString();
  } catch (error) {
    return (error as Error).message;
  }
}

oracleTest(
  "the client works on Apache's secure port, and both servers give the same results",
  async () => {
    const files = makeTlsFiles();
    const { authority } = files;
    const odd = authority.issue({ subject: ODD_SUBJECT });
    const tls = { ca: authority.cert, cert: odd.cert, key: odd.key };
    const securePort = await freePort();
    const [bundled, apache] = await Promise.all([
      startSecure(files),
      startOracle({
        jars: NETTY_JARS,
        config: { secureClientPort: securePort },
        properties: {
          'zookeeper.serverCnxnFactory': 'org.apache.zookeeper.server.NettyServerCnxnFactory',
          ...storesOf(files.serverFile, files),
        },
      }),
    ]);
    try {
      const expected = await findingsOf(securePort, tls);
      assert.equal(await findingsOf(bundled.securePort, tls), expected);
      assert.match(
        expected.join('\n'),
        'x509 UID=u1,DC=example,1.2.840.113549.1.9.1=#16056140622e63',
      );

      assert.is(await faultOf(securePort, tls), 'imok');
      assert.match(
        await faultOf(securePort, { ca: authority.cert }),
        'requires a client certificate',
      );
      assert.match(
        await faultOf(securePort, { cert: files.client.cert, key: files.client.key }),
        'of an untrusted authority',
      );
      const stranger = makeAuthority('Stranger').issue({ names: ['stranger'] });
      assert.match(
        await faultOf(securePort, { ca: authority.cert, cert: stranger.cert, key: stranger.key }),
        "refused this client's certificate",
      );
      assert.match(await faultOf(apache.port, tls), 'it may be the plain client port');
      // Netty waits for a fifth byte: a word without TLS is too short for a record of TLS.
      assert.match(await faultOf(securePort), 'sent nothing for');
    } finally {
      await bundled.close();
      await apache.close();
      files.remove();
    }
  },
);

test.run();
