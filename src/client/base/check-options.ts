import {
  checkBoolean,
  checkFunction,
  checkLong,
  checkSignal,
  checkString,
  checkText,
  checkWhole,
  isBytes,
  readFields,
  wrongType,
} from '../../protocol/check-argument.js';
import type { DigestLogin } from '../../protocol/sasl-login.js';
import type { ClientMetrics } from './client-metrics.js';
import type { ClientOptions } from './client-options.js';
import type { AskOptions } from './four-letter.js';
import type { KerberosSasl } from './kerberos.js';
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
  renewSession: checkBoolean,
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
  const methods = readFields(
    name,
    value as ClientMetrics,
    ['request', 'traffic', 'state', 'event'],
    'any',
  );
  for (const [method, given] of Object.entries(methods)) checkFunction(`${name}.${method}`, given);
}

function checkSasl(name: string, value: unknown): void {
  const given = value as DigestLogin & KerberosSasl;
  const { mechanism, load } = readFields(name, given, ['mechanism', 'load'], 'any');
  if (mechanism !== undefined) {
    if (typeof load === 'function') return;
    throw wrongType(name, value, 'what kerberos() returned');
  }
  const { user, password } = readFields(name, given, ['user', 'password']);
  checkText(`${name}.user`, user);
  checkText(`${name}.password`, password);
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

const TLS_NAMES = [
  ...(['ca', 'cert', 'key', 'passphrase', 'keyStore', 'trustStore', 'servername'] as const),
  ...(['minVersion', 'maxVersion', 'ciphers'] as const),
  ...(['isNameVerified', 'isVerified', 'isOcspChecked', 'isCrlChecked'] as const),
];

/** Uses the object itself, not a copy: its secure context is cached as long as it lives. */
function checkTls(name: string, value: unknown): void {
  const fields = readFields(name, value as TlsOptions, TLS_NAMES);
  const { ca, cert, key, keyStore, trustStore } = fields;
  for (const [field, store] of Object.entries({ keyStore, trustStore })) {
    if (store !== undefined) checkStore(`${name}.${field}`, store);
  }
  for (const [field, pem] of Object.entries({ ca, cert, key })) {
    if (pem !== undefined && typeof pem !== 'string' && !isBytes(pem)) {
      throw wrongType(`${name}.${field}`, pem, 'PEM, as a string or a Buffer');
    }
  }
  for (const field of ['passphrase', 'servername', 'ciphers'] as const) {
    if (fields[field] !== undefined) checkText(`${name}.${field}`, fields[field]);
  }
  for (const field of ['minVersion', 'maxVersion'] as const) {
    const version: unknown = fields[field];
    if (version === undefined || version === 'TLSv1.2' || version === 'TLSv1.3') continue;
    throw wrongType(`${name}.${field}`, version, 'TLSv1.2 or TLSv1.3');
  }
  for (const field of ['isNameVerified', 'isVerified', 'isOcspChecked', 'isCrlChecked'] as const) {
    if (fields[field] !== undefined) checkBoolean(`${name}.${field}`, fields[field]);
  }
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
