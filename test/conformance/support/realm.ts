/** A realm with a real KDC, a service, and both servers with its keytab. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOracle } from '../../support/apache/oracle.js';
import { startBundled } from '../../support/bundled.js';
import { type Kdc, REALM, startKdc } from '../../support/peers/kdc.js';

export const MODULE = 'com.sun.security.auth.module.Krb5LoginModule required';
export const SERVICE = 'zookeeper/localhost';
export const ENCTYPES = [
  'aes128-cts-hmac-sha1-96',
  'aes256-cts-hmac-sha1-96',
  'aes128-cts-hmac-sha256-128',
  'aes256-cts-hmac-sha384-192',
];
const PROVIDER = 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider';

export interface Realm {
  readonly kdc: Kdc;
  readonly serverJaas: string;
  readonly jaasOf: (client: string) => Promise<string>;
}

export async function withRealm(
  enctype: string,
  use: (realm: Realm) => Promise<void>,
): Promise<void> {
  const kdc = await startKdc(enctype);
  try {
    const write = (name: string, section: string, keytab: string, principal: string): string => {
      const file = join(kdc.folder, name);
      const options = `useKeyTab=true storeKey=true keyTab="${keytab}" principal="${principal}"`;
      writeFileSync(file, `${section} { ${MODULE} ${options}; };\n`);
      return file;
    };
    const keytab = await kdc.keytab(SERVICE);
    const serverJaas = write('server.jaas', 'Server', keytab, `${SERVICE}@${REALM}`);
    const jaasOf = async (client: string): Promise<string> => {
      const ofClient = await kdc.keytab(client);
      return write(`${client.replaceAll('/', '-')}.jaas`, 'Client', ofClient, `${client}@${REALM}`);
    };
    await use({ kdc, serverJaas, jaasOf });
  } finally {
    await kdc.stop();
  }
}

/** Starts one of the servers with Kerberos. */
export type Start = (realm: Realm, config: Record<string, string>) => Promise<Serving>;
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

const propertiesOf = ({ kdc, serverJaas }: Realm) => ({
  'java.security.krb5.conf': kdc.configFile,
  'java.security.auth.login.config': serverJaas,
});
export const startTheirs: Start = (realm, config) =>
  startOracle({
    config: { 'authProvider.1': PROVIDER, ...config },
    properties: propertiesOf(realm),
  });
export const startOurs: Start = (realm, config) =>
  startBundled({ config: { 'authProvider.1': PROVIDER, ...config, ...propertiesOf(realm) } });
