import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { parseServerAddress } from '../client/base/connect-string.js';
import { secureContextOf, TlsOptionError } from '../client/base/tls.js';
import { UsageError } from '../commands/ensemble/usage-error.js';
import type { CallOption } from '../commands/program/command-line.js';
import { TIME_OPTIONS } from '../commands/zkops/calls/options.js';
import type { TaskCall } from '../commands/zkops/calls/task.js';

const DEFAULT_LISTEN = '127.0.0.1:8090';
export const DEFAULT_INTERVAL_MS = 5000;

export const CONSOLE_OPTIONS: readonly CallOption[] = [
  ['--listen <host:port>', 'address and port for the page and the API', 'text', DEFAULT_LISTEN],
  ['--allow-writes', 'let users create, change, and delete znodes'],
  ['--users <file>', 'require a login: one line of --new-user for each user'],
  ['--new-user <name>', 'print a line for --users; reads the password from standard input'],
  ['--token-file <file>', 'accept the bearer token in this file, for programs'],
  ['--tls-cert <file>', 'PEM file of the certificate of the console'],
  ['--tls-key <file>', 'PEM file of the private key of the console'],
  ['--plain', 'serve without TLS even on an address that other hosts reach'],
  ['--host-names <list>', 'host names of the console in URLs, comma-separated'],
  ['--auth-file <file>', 'credentials for ZooKeeper: user:password for the digest scheme'],
  ['--sasl-file <file>', 'credentials for ZooKeeper: user:password for SASL DIGEST-MD5'],
  ['--record <paths>', 'record events below these paths from the start, comma-separated'],
  ['--audit-log <file>', 'append one JSON line for each change, instead of standard error'],
  ['--trend-file <file>', 'keep the charts across restarts'],
  ['--interval <ms>', 'time between two polls', 'ms', DEFAULT_INTERVAL_MS],
  ['--limits <file>', 'file of limits: [warn] and [crit], name = limit'],
  ...TIME_OPTIONS,
];

export function listenAddress(call: TaskCall): { readonly host: string; readonly port: number } {
  const text = call.text('listen') ?? DEFAULT_LISTEN;
  // Port 0 (any free port) is not a valid port of a ZooKeeper server.
  const free = /^(.*):0$/.exec(text);
  try {
    const { host, port } = parseServerAddress(free === null ? text : `${free[1]}:1`);
    return { host, port: free === null ? port : 0 };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--listen: ${why}`, undefined, { cause });
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

export interface Exposure {
  readonly host: string;
  readonly hasLogin: boolean;
  readonly hasTls: boolean;
  readonly isPlainAllowed: boolean;
  readonly hasCredentials: boolean;
}

/** @throws UsageError for a console without sufficient login or TLS */
export function checkExposure(exposure: Exposure): void {
  const { host, hasLogin, hasTls, isPlainAllowed, hasCredentials } = exposure;
  if (hasCredentials && !hasLogin) {
    throw new UsageError(
      'every user of this machine could use these credentials: add --users or --token-file',
    );
  }
  if (isLoopback(host)) return;
  if (!hasLogin) {
    throw new UsageError(`--listen ${host}: other hosts reach it: add --users or --token-file`);
  }
  if (!hasTls && !isPlainAllowed) {
    throw new UsageError(
      `--listen ${host}: passwords would be sent unencrypted: add --tls-cert and --tls-key, or --plain`,
    );
  }
}

export function readTls(call: TaskCall) {
  const [cert, key] = [call.text('tls-cert'), call.text('tls-key')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new UsageError('--tls-cert and --tls-key: expected both, or neither');
  }
  const read = (option: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`${option} ${file}: cannot read: ${why}`, undefined, { cause });
    }
  };
  const tls = { cert: read('--tls-cert', cert), key: read('--tls-key', key) };
  try {
    secureContextOf(tls);
  } catch (cause) {
    if (!(cause instanceof TlsOptionError)) throw cause;
    const at = cause.option === 'key' ? `--tls-key ${key}` : `--tls-cert ${cert}`;
    throw new UsageError(`${at}: ${cause.problem}`, undefined, { cause });
  }
  return tls;
}
