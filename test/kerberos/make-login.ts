/** Logins of a client that has a ticket, made without code of the acceptor but its encryption. */
import { encrypt, type KerberosKey } from '../../src/kerberos/encryption.js';

export const SERVICE = 'zookeeper/localhost';
export const REALM = 'EXAMPLE.TEST';
export const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
export const SERVICE_KEY: KerberosKey = { enctype: 18, bytes: Buffer.alloc(32, 1) };
export const SESSION_KEY: KerberosKey = { enctype: 18, bytes: Buffer.alloc(32, 2) };
export const SUBKEY: KerberosKey = { enctype: 17, bytes: Buffer.alloc(16, 3) };

export interface LoginParts {
  readonly service?: string;
  readonly serviceKey?: KerberosKey;
  readonly ticketFlags?: number;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly client?: string;
  readonly authenticatorClient?: string;
  readonly timeMs?: number;
  readonly checksumType?: number;
  readonly isMutual?: boolean;
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), body]);
}

export const sequence = (fields: Readonly<Record<number, Buffer>>): Buffer =>
  der(0x30, ...Object.entries(fields).map(([number, item]) => der(0xa0 | Number(number), item)));
export const message = (number: number, fields: Readonly<Record<number, Buffer>>): Buffer =>
  der(0x60 | number, sequence(fields));
export const integer = (value: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes.writeInt32BE(value, 1);
  return der(2, bytes);
};
export const text = (value: string): Buffer => der(0x1b, Buffer.from(value));
export const octets = (value: Buffer): Buffer => der(4, value);
const flags = (value: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value >>> 0, 1);
  return der(3, bytes);
};
export const time = (ms: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
export const key = ({ enctype, bytes }: KerberosKey): Buffer =>
  sequence({ 0: integer(enctype), 1: octets(bytes) });
export const principal = (name: string): Buffer =>
  sequence({ 0: integer(1), 1: der(0x30, ...name.split('/').map(text)) });
export const encrypted = (
  with_: KerberosKey,
  usage: number,
  plain: Buffer,
  version?: number,
): Buffer =>
  sequence({
    0: integer(with_.enctype),
    ...(version === undefined ? {} : { 1: integer(version) }),
    2: octets(encrypt(with_, usage, plain)),
  });

/** The ticket of a client for the service. */
export function makeTicket(parts: LoginParts = {}): Buffer {
  const ticketPart = message(3, {
    0: flags(parts.ticketFlags ?? 0),
    1: key(SESSION_KEY),
    2: text(REALM),
    3: principal(parts.client ?? 'alice'),
    4: sequence({ 0: integer(0), 1: octets(Buffer.alloc(0)) }),
    5: time(parts.startMs ?? NOW_MS - 1000),
    7: time(parts.endMs ?? NOW_MS + 3_600_000),
  });
  return message(1, {
    0: integer(5),
    1: text(REALM),
    2: principal(parts.service ?? SERVICE),
    3: encrypted(parts.serviceKey ?? SERVICE_KEY, 2, ticketPart, 7),
  });
}

/** The token of a login by GSS-API. */
export function makeLogin(parts: LoginParts = {}): Buffer {
  const client = parts.client ?? 'alice';
  const ticket = makeTicket(parts);
  const authenticator = message(2, {
    0: integer(5),
    1: text(REALM),
    2: principal(parts.authenticatorClient ?? client),
    3: sequence({ 0: integer(parts.checksumType ?? 0x8003), 1: octets(Buffer.alloc(24)) }),
    4: integer(123_456),
    5: time(parts.timeMs ?? NOW_MS),
    6: key(SUBKEY),
    7: integer(77),
  });
  const request = message(14, {
    0: integer(5),
    1: integer(14),
    2: flags(parts.isMutual === true ? 0x2000_0000 : 0),
    3: ticket,
    4: encrypted(SESSION_KEY, 11, authenticator),
  });
  const mechanism = Buffer.from('06092a864886f71201020201', 'hex');
  return der(0x60, Buffer.concat([mechanism.subarray(0, 11), Buffer.from([1, 0])]), request);
}

/** The keytab of the service, as `ktadd` writes it. */
export function makeKeytab(principalName = SERVICE, serviceKey = SERVICE_KEY, version = 7): Buffer {
  const counted = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const short = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
  const names = principalName.split('/');
  const entry = Buffer.concat([
    short(names.length),
    counted(Buffer.from(REALM)),
    ...names.map((name) => counted(Buffer.from(name))),
    Buffer.alloc(8),
    Buffer.from([version]),
    short(serviceKey.enctype),
    counted(serviceKey.bytes),
  ]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(entry.length);
  const hole = Buffer.concat([Buffer.from('fffffffc', 'hex'), Buffer.alloc(4)]);
  return Buffer.concat([Buffer.from('0502', 'hex'), hole, size, entry]);
}
