/** The files of Kerberos on this host. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CredentialCache, parseCredentialCache } from '../ccache.js';
import { KerberosError } from '../kerberos-error.js';
import { type KeytabEntry, parseKeytab } from '../keytab.js';
import { type Krb5Conf, parseKrb5Conf } from '../krb5-conf.js';

const DEFAULT_CONF = '/etc/krb5.conf';
/** Names of files that includedir reads, as MIT's library does. */
const INCLUDED = /^[\w-]+$|^[^.].*\.conf$/;

/** @param file default: the files of KRB5_CONFIG, or /etc/krb5.conf @throws KerberosError */
export function readKrb5Conf(file?: string): Krb5Conf {
  const files =
    file === undefined ? (process.env['KRB5_CONFIG'] || DEFAULT_CONF).split(':') : [file];
  const name = files.join(':');
  return naming(name, () =>
    parseKrb5Conf(files.map((each) => readFileSync(each, 'utf8')).join('\n'), (kind, path) =>
      kind === 'include'
        ? [readFileSync(path, 'utf8')]
        : readdirSync(path)
            .filter((name) => INCLUDED.test(name))
            .sort()
            .map((name) => readFileSync(join(path, name), 'utf8')),
    ),
  );
}

/** @throws KerberosError */
export function readKeytab(file: string): KeytabEntry[] {
  const path = pathOf(file, 'keytab');
  return naming(path, () => parseKeytab(readFileSync(path)));
}

/** @throws KerberosError */
export function readCredentialCache(file: string): CredentialCache {
  const path = pathOf(file, 'credential cache');
  return naming(path, () => parseCredentialCache(readFileSync(path)));
}

/** The credential cache of the user, as kinit chooses it. */
export function defaultCache(): string {
  return process.env['KRB5CCNAME'] || `/tmp/krb5cc_${process.getuid?.() ?? 0}`;
}

/** "FILE:/path" or "/path". */
function pathOf(name: string, what: string): string {
  const [, type, path] = /^([A-Za-z]{2,}):(.*)$/.exec(name) ?? [];
  if (type === undefined || path === undefined) return name;
  if (type === 'FILE') return path;
  const problem = `${name}: unsupported ${what} of type ${type} (expected FILE:PATH)`;
  throw new KerberosError(problem, { kind: 'local' });
}

function naming<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KerberosError(`${file}: ${why}`, { cause, kind: 'local' });
  }
}
