import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kerberos } from '../../../src/client/base/kerberos.js';
import { readSaslFile } from '../../../src/commands/connecting/auth-sources.js';
import { readClientProperties } from '../../../src/commands/connecting/client-properties.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

const KERBEROS =
  '# for Java, too\nClient {\n  a.Krb5LoginModule required useKeyTab=true keyTab="/k" principal="a@B";\n};\n';
const DIGEST = 'Client { a.DigestLoginModule required username="bob" password="x"; };';

async function within(
  use: (write: (text: string, mode?: number) => string) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('sasl-file');
  let files = 0;
  try {
    await use((text, mode = 0o600) => {
      const file = join(home.path, `file-${files++}`);
      writeFileSync(file, text, { mode });
      return file;
    });
  } finally {
    home.remove();
  }
}

const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  );

test('a login file has user:password, or the section Client of a JAAS file', () =>
  within(async (write) => {
    const bob = { user: 'bob', password: 'x' };
    assert.equal(await readSaslFile(write('bob:x\nmore')), bob);
    assert.equal(await readSaslFile(write('bob:{LoginModule')), {
      ...bob,
      password: '{LoginModule',
    });
    assert.equal(await readSaslFile(write(DIGEST)), bob);
    const login = kerberos({ principal: 'a@B', keytab: '/k' });
    assert.equal(await readSaslFile(write(KERBEROS)), login);
    assert.equal(await readSaslFile(write(KERBEROS, 0o644)), login, 'it has no secret');
  }));

test('a login file with a password that others may read is refused', () =>
  within(async (write) => {
    for (const text of ['bob:x', DIGEST]) {
      assert.match(await faultOf(readSaslFile(write(text, 0o644))), /readable by users other/);
    }
    const ofServer = DIGEST.replace('Client', 'Server');
    assert.match(await faultOf(readSaslFile(write(ofServer))), /section Client: expected a Digest/);
    const damaged = KERBEROS.replace('useKeyTab=true', '');
    assert.match(await faultOf(readSaslFile(write(damaged))), /needs useKeyTab=true or useTicket/);
  }));

test('a client configuration chooses the principal of the server', () =>
  within(async (write) => {
    const jaas = `java.security.auth.login.config=${write(KERBEROS)}\n`;
    const { sasl } = await readClientProperties(
      write(
        `${jaas}java.security.krb5.conf=krb5.conf
zookeeper.server.principal=zk/h@R
zookeeper.sasl.client.username=zk
zookeeper.server.realm=R
zookeeper.sasl.client.canonicalize.hostname=FALSE
`,
      ),
    );
    const { krb5Conf = '', ...others } = sasl as { krb5Conf?: string };
    assert.match(krb5Conf, /^\/.*\/krb5\.conf$/);
    assert.equal(others, {
      ...kerberos({}),
      principal: 'a@B',
      keytab: '/k',
      servicePrincipal: 'zk/h@R',
      serviceName: 'zk',
      serviceRealm: 'R',
      isHostCanonicalized: false,
    });
    for (const name of ['java.security.krb5.realm', 'java.security.krb5.kdc']) {
      const fault = await faultOf(readClientProperties(write(`${jaas}${name}=x`)));
      assert.match(fault, `${name}: not supported: use java.security.krb5.conf=FILE instead`);
    }
  }));

test.run();
