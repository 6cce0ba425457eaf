import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { secureContextOf, TlsOptionError } from '../client/base/tls.js';
import { parseListenAddress } from '../commands/ensemble/listen-address.js';
import { fileOption, type OptionSpecs, textOption, WAIT } from '../commands/machine/declaration.js';
import { usageError } from '../commands/program/command-error.js';
import { TIME_OPTIONS } from '../commands/zkops/calls/options.js';
import type { TaskCall } from '../commands/zkops/calls/task.js';
import { parseIpRange } from '../protocol/ip-address.js';
import { pathFault } from '../protocol/path.js';
import type { TrustedProxy } from './logins.js';
import { usable } from './usable.js';

const DEFAULT_LISTEN = '127.0.0.1:8090';
export const DEFAULT_INTERVAL_MS = 5000;

export const CONSOLE_OPTIONS: OptionSpecs = {
  listen: {
    kind: 'text',
    valueName: 'HOST:PORT',
    fallback: DEFAULT_LISTEN,
    summary: 'address and port for the page and the API',
  },
  'allow-writes': { summary: 'let users create, change, and delete znodes' },
  'read-only': { summary: 'refuse changes, also with --allow-writes (default)' },
  'allow-snapshots': { summary: 'let users download snapshots, which have all znodes and ACLs' },
  users: fileOption('require a login: one line of --new-user for each user'),
  'new-user': textOption(
    'NAME',
    'print a line for --users; reads the password from standard input',
  ),
  'token-file': fileOption('accept the bearer token in this file, for programs'),
  'client-ca': fileOption('accept client certificates of this authority; the CN is the user'),
  'proxy-header': textOption('NAME', 'accept the user that a proxy names in this header'),
  'proxy-from': textOption('ADDRESSES', 'the proxies of --proxy-header: addresses or ranges'),
  'tls-cert': fileOption('PEM file of the certificate of the console'),
  'tls-key': fileOption('PEM file of the private key of the console'),
  plain: { summary: 'serve without TLS even on an address that other hosts reach' },
  'host-names': textOption('LIST', 'host names of the console in URLs, comma-separated'),
  'auth-file': fileOption('shared credentials for ZooKeeper: user:password for digest'),
  'sasl-file': fileOption('shared credentials for ZooKeeper: user:password for SASL'),
  'zk-logins': fileOption('credentials for ZooKeeper of each user, instead of shared ones'),
  protect: textOption('PATHS', 'refuse changes at and below these paths, comma-separated'),
  record: textOption('PATHS', 'record events below these paths from the start, comma-separated'),
  'audit-log': fileOption('append one JSON line for each change, instead of standard error'),
  'trend-file': fileOption('keep charts, leaders, and changes across restarts'),
  interval: {
    ...WAIT,
    valueName: 'TIME',
    fallback: DEFAULT_INTERVAL_MS,
    summary: 'time between two polls',
  },
  limits: fileOption('file of limits: [warn] and [crit], name = limit'),
  ...TIME_OPTIONS,
};

export function listenAddress(call: TaskCall): { readonly host: string; readonly port: number } {
  return usable('--listen', () => parseListenAddress(call.text('listen') ?? DEFAULT_LISTEN));
}

/** `--read-only` on the command line wins over `--allow-writes` in the environment. */
export function allowsWrites(call: TaskCall): boolean {
  return call.has('allow-writes') && !call.has('read-only');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

export interface Exposure {
  readonly host: string;
  readonly hasLogin: boolean;
  readonly hasTls: boolean;
  readonly isPlainAllowed: boolean;
  readonly hasCredentials: boolean;
}

/** @throws CommandError for a console without sufficient login or TLS */
export function checkExposure(exposure: Exposure): void {
  const { host, hasLogin, hasTls, isPlainAllowed, hasCredentials } = exposure;
  if (hasCredentials && !hasLogin) {
    throw usageError(
      'every user of this machine could use these credentials: add --users or another login',
    );
  }
  if (isLoopback(host)) return;
  if (!hasLogin) {
    throw usageError(`--listen ${host}: other hosts reach it: add --users or another login`);
  }
  if (!hasTls && !isPlainAllowed) {
    throw usageError(
      `--listen ${host}: passwords would be sent unencrypted: add --tls-cert and --tls-key, or --plain`,
    );
  }
}

export function readTls(call: TaskCall) {
  const [cert, key, ca] = [call.text('tls-cert'), call.text('tls-key'), call.text('client-ca')];
  if (cert === undefined && key === undefined) {
    if (ca === undefined) return undefined;
    throw usageError('--client-ca: needs TLS: add --tls-cert and --tls-key');
  }
  if (cert === undefined || key === undefined) {
    throw usageError('--tls-cert and --tls-key: expected both, or neither');
  }
  const read = (option: string, file: string) =>
    usable(`${option} ${file}: cannot read`, () => readFileSync(file));
  const tls = {
    cert: read('--tls-cert', cert),
    key: read('--tls-key', key),
    ...(ca === undefined ? {} : { ca: read('--client-ca', ca) }),
  };
  try {
    secureContextOf(tls);
  } catch (cause) {
    if (!(cause instanceof TlsOptionError)) throw cause;
    const options = {
      key: `--tls-key ${key}`,
      ca: `--client-ca ${ca}`,
      cert: `--tls-cert ${cert}`,
    };
    const { option } = cause;
    const flag = option === 'key' || option === 'cert' ? option : 'ca';
    throw usageError(`${options[flag]}: ${cause.problem}`);
  }
  return tls;
}

/** @throws CommandError for one option without the other, or for an invalid address */
export function readProxy(call: TaskCall): TrustedProxy | undefined {
  const [header, from] = [call.text('proxy-header'), call.text('proxy-from')];
  if (header === undefined && from === undefined) return undefined;
  if (header === undefined || from === undefined) {
    throw usageError('--proxy-header and --proxy-from: expected both, or neither');
  }
  const ranges = from.split(',');
  const invalid = ranges.find((range) => parseIpRange(range) === undefined);
  if (invalid === undefined) return { header, from: ranges };
  throw usageError(`--proxy-from: invalid address: "${invalid}" (expected 10.0.0.5 or 10.0.0.0/8)`);
}

/** @throws CommandError */
export function readPaths(call: TaskCall, option: string): readonly string[] {
  const paths = call.text(option)?.split(',') ?? [];
  for (const path of paths) {
    const fault = pathFault(path);
    if (fault !== undefined) throw usageError(`--${option}: invalid path: "${path}": ${fault}`);
  }
  return paths;
}
