/** A KDC of MIT Kerberos on the loopback interface, in a temporary folder. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import { hasOracle } from '../apache/oracle.js';
import { freePort } from '../machine/free-port.js';
import { makeTempDir } from '../machine/temp-dir.js';
import { watchProcess } from '../machine/watched-process.js';
import { waitFor } from '../wait-for.js';

const run = promisify(execFile);

const KDC = '/usr/sbin/krb5kdc';
const KADMIN = '/usr/sbin/kadmin.local';
const KINIT = '/usr/bin/kinit';
export const REALM = 'EXAMPLE.TEST';

export interface Kdc {
  readonly folder: string;
  /** For its clients and servers. */
  readonly configFile: string;
  /** Adds a principal with random keys, and returns the file of its keytab. */
  keytab(principal: string): Promise<string>;
  /** The file of the ticket that kinit gets by a keytab. @param lifetime as "10h" */
  ticketCache(principal: string, keytab: string, lifetime?: string): Promise<string>;
  /** Replaces the keys of the principal: tickets and keytabs with the old ones are of no use. */
  changeKey(principal: string): Promise<void>;
  /** Deletes the principal. */
  forget(principal: string): Promise<void>;
  /** Ends the KDC and keeps its files. */
  halt(): Promise<void>;
  /** Starts it again after `halt`. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

const missing = [KDC, KADMIN, KINIT].find((file) => !existsSync(file));
if (missing !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${missing} is missing`);
  }
  console.log(`skipped: tests with Kerberos: ${missing} is missing`);
}

/** Registers a test that needs a KDC and Apache's client. Without them, it counts as skipped. */
export const kdcTest = hasOracle && missing === undefined ? test : test.skip;

/** @param enctype the only encryption type of its keys and tickets */
export async function startKdc(enctype: string): Promise<Kdc> {
  const { path: folder, remove } = makeTempDir('kdc');
  const port = await freePort();
  const file = (name: string) => join(folder, name);
  const configFile = file('krb5.conf');
  writeFileSync(
    configFile,
    `[libdefaults]
  default_realm = ${REALM}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
  permitted_enctypes = ${enctype}
  default_tkt_enctypes = ${enctype}
  default_tgs_enctypes = ${enctype}
[realms]
  ${REALM} = {
    kdc = 127.0.0.1:${port}
  }
`,
  );
  writeFileSync(
    file('kdc.conf'),
    `[kdcdefaults]
  kdc_listen = ""
  kdc_tcp_listen = 127.0.0.1:${port}
[realms]
  ${REALM} = {
    database_name = ${file('principal')}
    key_stash_file = ${file('stash')}
    acl_file = ${file('kadm5.acl')}
    master_key_type = ${enctype}
    supported_enctypes = ${enctype}:normal
    default_principal_flags = +preauth
  }
`,
  );
  const env = { ...process.env, KRB5_CONFIG: configFile, KRB5_KDC_PROFILE: file('kdc.conf') };
  await run('/usr/sbin/kdb5_util', ['create', '-s', '-P', 'secret', '-r', REALM], { env });
  const start = async () => {
    const started = watchProcess(spawn(KDC, ['-n', '-r', REALM], { env, stdio: 'pipe' }));
    try {
      await waitFor('the KDC', () => isListening(port));
    } catch (error) {
      await started.stop('SIGKILL');
      throw error;
    }
    return started;
  };
  let kdc = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const administer = async (query: string): Promise<void> => {
    await run(KADMIN, ['-r', REALM, '-q', query], { env });
  };
  return {
    folder,
    configFile,
    keytab: async (principal) => {
      const keytab = file(`${principal.replaceAll('/', '-')}.keytab`);
      for (const query of [`addprinc -randkey ${principal}`, `ktadd -k ${keytab} ${principal}`]) {
        await administer(query);
      }
      return keytab;
    },
    ticketCache: async (principal, keytab, lifetime = '10h') => {
      const cache = file(`${principal.replaceAll('/', '-')}-${lifetime}.ccache`);
      await run(KINIT, ['-l', lifetime, '-k', '-t', keytab, '-c', cache, principal], { env });
      return cache;
    },
    changeKey: (principal) => administer(`cpw -randkey ${principal}`),
    forget: (principal) => administer(`delprinc -force ${principal}`),
    halt: async () => {
      await kdc.stop();
    },
    resume: async () => {
      kdc = await start();
    },
    stop: async () => {
      await kdc.stop();
      remove();
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
