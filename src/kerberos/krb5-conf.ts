/** Reads what a client needs from krb5.conf: realms, their KDCs, and encryption types. */
import { ENCTYPES, enctypesOf } from './encryption.js';
import { KerberosError } from './kerberos-error.js';

export interface KdcAddress {
  readonly host: string;
  readonly port: number;
}

export interface Krb5Conf {
  readonly defaultRealm: string | undefined;
  /** In the order of the file; the realm may have none. */
  kdcsOf(realm: string): readonly KdcAddress[];
  /** The realm in `[domain_realm]` of the host, or of the nearest domain. */
  realmOf(host: string): string | undefined;
  /** Supported types for tickets and for their keys, most preferred first. */
  readonly enctypes: readonly number[];
}

/** `include FILE` and `includedir FOLDER`, at the place of the line. */
export type Include = (kind: 'include' | 'includedir', path: string) => readonly string[];

/** Values by "section/key" or "section/group/key", in the order of the files. */
type Values = Map<string, string[]>;

const DEFAULT_PORT = 88;
const MAX_DEPTH = 10;
const LINE = /^([^\s={}]+)\s*=\s*(?!\s)(.*)$/;

/** @param include the texts of included files @throws KerberosError */
export function parseKrb5Conf(text: string, include: Include = () => []): Krb5Conf {
  const values: Values = new Map();
  collect(text, values, include, MAX_DEPTH);
  const all = (...path: readonly string[]): readonly string[] => values.get(path.join('/')) ?? [];
  const domains = new Map(
    [...values].flatMap(([path, [realm = '']]) => {
      const [section, domain, ...more] = path.split('/');
      const isDomain = section === 'domain_realm' && domain !== undefined && more.length === 0;
      return isDomain ? [[domain.toLowerCase(), realm] as const] : [];
    }),
  );
  return {
    defaultRealm: all('libdefaults', 'default_realm')[0],
    kdcsOf: (realm) =>
      all('realms', realm, 'kdc').flatMap((value) => value.split(/[\s,]+/).map(addressOf)),
    realmOf: (host) => nearest(domains, host.toLowerCase()),
    enctypes: permitted((name: string) => all('libdefaults', name)[0]),
  };
}

function collect(text: string, values: Values, include: Include, depth: number): void {
  if (depth === 0) throw fault('krb5.conf: too many files include each other');
  let section = '';
  const groups: string[] = [];
  for (const [number, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, kind, path = ''] = /^(include|includedir)\s+(\S.*)$/.exec(line) ?? [];
    if (kind === 'include' || kind === 'includedir') {
      for (const other of include(kind, path)) collect(other, values, include, depth - 1);
      continue;
    }
    const [, heading] = /^\[([^\]]+)\]\*?$/.exec(line) ?? [];
    if (heading !== undefined) {
      section = heading.trim();
      groups.length = 0;
    } else collectLine(line, number + 1, values, { section, groups });
  }
}

function collectLine(
  line: string,
  number: number,
  values: Values,
  { section, groups }: { readonly section: string; readonly groups: string[] },
): void {
  if (/^\}\*?$/.test(line)) {
    groups.pop();
    return;
  }
  if (line === '{' || line.startsWith('module ')) return;
  const [, key = '', value = ''] = LINE.exec(line) ?? [];
  if (key === '') throw fault(`krb5.conf: line ${number}: expected NAME = VALUE`);
  if (value.startsWith('{')) groups.push(key);
  else add(values, [section, ...groups, key].join('/'), value);
}

function add(values: Values, path: string, value: string): void {
  const text = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replace(/\\(.)/g, '$1') ?? value.trim();
  const known = values.get(path);
  if (known === undefined) values.set(path, [text]);
  else known.push(text);
}

/** host, host:port, [address]:port, also with tcp/ before it. */
function addressOf(text: string): KdcAddress {
  const [, v6, host, port] =
    /^(?:tcp\/)?(?:\[([^\]]+)\]|([^:/[\]\s]+))(?::(\d+))?$/.exec(text) ?? [];
  const name = v6 ?? host;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (name === undefined || number < 1 || number > 0xffff) {
    throw fault(`krb5.conf: invalid kdc: "${text}" (expected host or host:port)`);
  }
  return { host: name, port: number };
}

/** "a.b.c", then ".b.c" and "b.c", then ".c" and "c". */
function nearest(domains: ReadonlyMap<string, string>, host: string): string | undefined {
  const exact = domains.get(host);
  if (exact !== undefined) return exact;
  const labels = host.split('.');
  for (let from = 1; from < labels.length; from++) {
    const domain = labels.slice(from).join('.');
    const realm = domains.get(`.${domain}`) ?? domains.get(domain);
    if (realm !== undefined) return realm;
  }
  return undefined;
}

function permitted(setting: (name: string) => string | undefined): readonly number[] {
  let left: readonly number[] = ENCTYPES;
  for (const name of ['permitted_enctypes', 'default_tkt_enctypes', 'default_tgs_enctypes']) {
    const value = setting(name);
    if (value === undefined) continue;
    const listed = enctypesOf(value.split(/[\s,]+/));
    left = listed.filter((enctype) => left.includes(enctype));
    if (left.length === 0) {
      throw fault(`krb5.conf: ${name}: "${value}" permits no AES (expected types 17 to 20)`);
    }
  }
  return left;
}

function fault(message: string): KerberosError {
  return new KerberosError(message, { kind: 'local' });
}
