import { quoteWord } from '../../commands/zksh/language/quote-word.js';
import type { About, Acl, Stat } from '../api/shapes.js';

const PERMS: Readonly<Record<string, string>> = {
  c: 'create children',
  d: 'delete children',
  r: 'read',
  w: 'write',
  a: 'change the ACL',
};

/** "anyone may read and write" */
export function aclInWords({ scheme, id, perms }: Acl): string {
  const all = Object.keys(PERMS);
  const may = all.filter((letter) => perms.includes(letter)).map((letter) => PERMS[letter]);
  const last = may.pop();
  const what = may.length === 0 ? last : `${may.join(', ')} and ${last}`;
  return `${whoInWords(scheme, id)} may ${perms.length === all.length ? 'do everything' : what}`;
}

function whoInWords(scheme: string, id: string): string {
  if (scheme === 'world') return 'anyone';
  if (scheme === 'ip') return `clients from ${id}`;
  if (scheme === 'digest') return `user ${id.split(':')[0]} with the password`;
  if (scheme === 'x509') return `the owner of the certificate ${id}`;
  return `${scheme} ${id}`;
}

/** "21:01:05", or "2026-11-23 21:01:05" with the date: as in zksh, but in the local zone. */
export function clock(time: string | number, hasDate = false): string {
  const date = new Date(time);
  const zone = date.getTimezoneOffset() * 60_000;
  if (Number.isNaN(zone)) return String(time);
  const text = new Date(date.getTime() - zone).toISOString();
  return text.slice(hasDate ? 0 : 11, 19).replace('T', ' ');
}

/** "5 minutes ago", or "in 5 minutes" if the server's clock is ahead; "-" if it is unknown. */
export function ago(iso: string | null, nowMs: number): string {
  if (iso === null) return '-';
  const seconds = Math.round((nowMs - Date.parse(iso)) / 1000);
  if (!Number.isFinite(seconds)) return iso;
  const [size, unit] = Math.abs(seconds) < 2 ? [0, 'second'] : inUnits(Math.abs(seconds));
  if (size === 0) return 'now';
  const text = counted(size, unit);
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

function inUnits(seconds: number): readonly [number, string] {
  for (const [size, unit] of UNITS) {
    if (seconds >= size) return [Math.floor(seconds / size), unit];
  }
  return [seconds, 'second'];
}

export function statInWords(stat: Stat, nowMs: number): readonly (readonly [string, string])[] {
  const { created, modified, version, cversion, aversion } = stat;
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
  const changed =
    version <= 0
      ? 'never since it was created'
      : `${times(version)}, last ${when(modified, nowMs)} by txn ${stat.mzxid}`;
  return [
    ['Created', `${when(created, nowMs)} by txn ${stat.czxid}`],
    ['Data changed', changed],
    ['Data version', String(version)],
    ['Size', counted(stat.dataLength, 'byte')],
    [
      'Children',
      `${stat.numChildren}, changed ${times(Math.max(0, cversion))}, last by txn ${stat.pzxid}`,
    ],
    ['ACL changed', aversion === 0 ? 'never' : times(aversion)],
  ];
}

function when(iso: string | null, nowMs: number): string {
  return iso === null ? '-' : `${ago(iso, nowMs)} (${iso})`;
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Such as 12, 1.2G, 45%, or 3m. */
export function isNumber(shown: string): boolean {
  return /^-?[\d.,]+ ?[%\w]{0,2}$/.test(shown);
}

/** "1 byte", "2 bytes" */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function commandLine(words: readonly string[], { tlsOptions }: Pick<About, 'tlsOptions'>): string {
  return [...words, ...tlsOptions].map(shellWord).join(' ');
}

/** The same as a command: `zkops mntr --servers zk1:2181`. */
export function zkopsLine(words: readonly string[], servers: string, about: About): string {
  return commandLine(['zkops', ...words, '--servers', servers], about);
}

/** The same as a command: `zksh zk1:2181 -c 'get /app'`. A quoted option would be an argument. */
export function zkshLine(
  about: Pick<About, 'servers' | 'tlsOptions'>,
  verb: string,
  words: readonly string[],
  options: readonly string[] = [],
): string {
  const line = [verb, ...options, ...words.map(quoteWord)].join(' ');
  return commandLine(['zksh', about.servers, '-c', line], about);
}

export function sequenceOf(name: string): number | undefined {
  const digits = /-?\d{10}$/.exec(name)?.[0];
  return digits === undefined ? undefined : Number(digits.replace(/^-(?=\d{10})/, ''));
}
