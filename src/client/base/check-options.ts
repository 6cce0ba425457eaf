import {
  checkBoolean,
  checkFunction,
  checkLong,
  checkOneOf,
  checkSignal,
  checkString,
  checkText,
  checkWhole,
  isBytes,
  readFields,
  wrongType,
} from '../../protocol/check-argument.js';
import type { ClientMetrics } from './client-metrics.js';
import type { ClientOptions } from './client-options.js';
import type { AskOptions } from './four-letter.js';
import type { TlsOptions, TlsStore } from './tls.js';
import { withoutStores } from './tls-stores.js';

const LONGEST_TIMER_MS = 0x7fff_ffff;

const CHECKS: {
  readonly [K in keyof Required<ClientOptions>]: (name: string, value: unknown) => unknown;
} = {
  connectString: checkString,
  tls: checkTls,
  sessionTimeoutMs: (name, value) => checkWhole(name, value, 1),
  connectTimeoutMs: (name, value) => checkWhole(name, value, 1),
  connectRounds: (name, value) => value === Number.POSITIVE_INFINITY || checkWhole(name, value, 1),
  isUnknownHostFinal: checkBoolean,
  requestTimeoutMs: (name, value) => checkWhole(name, value, 0),
  canBeReadOnly: checkBoolean,
  maxFrameLength: (name, value) => checkWhole(name, value, 1),
  sasl: checkSasl,
  session: checkSession,
  trace: checkFunction,
  metrics: checkMetrics,
  shouldResetWatches: checkBoolean,
  shouldShuffle: checkBoolean,
};
const NAMES = Object.keys(CHECKS) as (keyof ClientOptions)[];

export interface CheckedOptions extends ClientOptions {
  readonly session?: { readonly id: bigint; readonly password: Buffer };
}

/** A checked copy. @throws TypeError or RangeError that names the option */
export function checkClientOptions(given: ClientOptions): CheckedOptions {
  const options = readFields('options', given, NAMES);
  checkString('options.connectString', options.connectString);
  for (const name of NAMES) {
    const value = options[name];
    if (value !== undefined) CHECKS[name](`options.${name}`, value);
  }
  const { session, tls, ...plain } = options;
  const others = tls === undefined ? plain : { ...plain, tls: withoutStores(tls) };
  if (session === undefined) return others;
  return { ...others, session: { id: session.id, password: Buffer.from(session.password) } };
}

/** Uses the object itself: its methods may need their `this`. */
function checkMetrics(name: string, value: unknown): void {
  const methods = readFields(name, value as ClientMetrics, [
    'request',
    'traffic',
    'state',
    'event',
  ]);
  for (const [method, given] of Object.entries(methods)) checkFunction(`${name}.${method}`, given);
}

function checkSasl(name: string, value: unknown): void {
  const login = readFields(name, value as NonNullable<ClientOptions['sasl']>, ['user', 'password']);
  checkText(`${name}.user`, login.user);
  checkText(`${name}.password`, login.password);
}

function checkSession(name: string, value: unknown): void {
  const session = readFields(name, value as NonNullable<ClientOptions['session']>, [
    'id',
    'password',
  ]);
  checkLong(`${name}.id`, session.id);
  if (!isBytes(session.password)) {
    throw wrongType(`${name}.password`, session.password, 'a Uint8Array');
  }
}

/** Uses the object itself, not a copy: its secure context is cached as long as it lives. */
const TLS_NAMES = [
  ...(['ca', 'cert', 'key', 'keyStore', 'trustStore', 'minVersion', 'ciphers'] as const),
  ...(['passphrase', 'servername', 'isVerified', 'isOcspChecked'] as const),
];

export function checkTls(name: string, value: unknown): void {
  const options = readFields(name, value as TlsOptions, TLS_NAMES);
  const { ca, cert, key, passphrase, servername, isVerified, isOcspChecked } = options;
  const { keyStore, trustStore, minVersion, ciphers } = options;
  for (const [field, store] of Object.entries({ keyStore, trustStore })) {
    if (store !== undefined) checkStore(`${name}.${field}`, store);
  }
  if (minVersion !== undefined) {
    checkOneOf(`${name}.minVersion`, minVersion, ['TLSv1.2', 'TLSv1.3']);
  }
  if (ciphers !== undefined) checkText(`${name}.ciphers`, ciphers);
  for (const [field, pem] of Object.entries({ ca, cert, key })) {
    if (pem !== undefined && typeof pem !== 'string' && !isBytes(pem)) {
      throw wrongType(`${name}.${field}`, pem, 'PEM, as a string or a Buffer');
    }
  }
  if (passphrase !== undefined) checkText(`${name}.passphrase`, passphrase);
  if (servername !== undefined) checkText(`${name}.servername`, servername);
  if (isVerified !== undefined) checkBoolean(`${name}.isVerified`, isVerified);
  if (isOcspChecked !== undefined) checkBoolean(`${name}.isOcspChecked`, isOcspChecked);
}

function checkStore(name: string, value: TlsStore): void {
  const { source, password } = readFields(name, value, ['source', 'password']);
  if (typeof source !== 'string' && !isBytes(source)) {
    throw wrongType(`${name}.source`, source, 'a path, or bytes');
  }
  if (password !== undefined) checkText(`${name}.password`, password);
}

export function checkAskOptions(given: AskOptions): AskOptions {
  const options = readFields('options', given, [
    'timeoutMs',
    'connectTimeoutMs',
    'readTimeoutMs',
    'maxLength',
    'signal',
    'tls',
  ]);
  for (const name of ['timeoutMs', 'connectTimeoutMs', 'readTimeoutMs'] as const) {
    const value = options[name];
    if (value !== undefined) checkWhole(`options.${name}`, value, 0, LONGEST_TIMER_MS);
  }
  if (options.maxLength !== undefined) checkWhole('options.maxLength', options.maxLength, 0);
  checkSignal('options.signal', options.signal);
  if (options.tls === undefined) return options;
  checkTls('options.tls', options.tls);
  return { ...options, tls: withoutStores(options.tls) };
}
