/** The answers of a KDC, made without code of the client but its encryption. */
import type { KerberosKey } from '../../src/kerberos/encryption.js';
import type { Credentials } from '../../src/kerberos/get-ticket.js';
import { der } from '../support/bytes/der.js';
import {
  encrypted,
  integer,
  key,
  makeTicket,
  message,
  NOW_MS,
  octets,
  principal,
  REALM,
  SERVICE,
  SESSION_KEY,
  sequence,
  text,
  time,
} from './make-login.js';

export const CLIENT_KEY: KerberosKey = { enctype: 18, bytes: Buffer.alloc(32, 4) };
export const INITIAL_SERVICE = `krbtgt/${REALM}`;

/** A ticket of alice for the service. */
export function credentialsOf(): Credentials {
  return {
    client: `alice@${REALM}`,
    service: `${SERVICE}@${REALM}`,
    ticket: makeTicket(),
    key: SESSION_KEY,
    startMs: NOW_MS - 1000,
    endMs: NOW_MS + 3_600_000,
  };
}

export interface ReplyParts {
  /** 11 for an AS-REP, 13 for a TGS-REP. */
  readonly message?: number;
  readonly nonce: number;
  readonly key?: KerberosKey;
  readonly usage?: number;
  readonly client?: string;
  readonly service?: string;
  readonly sessionKey?: KerberosKey;
  readonly partMessage?: number;
}

export function makeReply(parts: ReplyParts): Buffer {
  const number = parts.message ?? 11;
  const service = parts.service ?? INITIAL_SERVICE;
  const part = message(parts.partMessage ?? (number === 11 ? 25 : 26), {
    0: key(parts.sessionKey ?? SESSION_KEY),
    1: sequence({}),
    2: integer(parts.nonce),
    4: der(3, Buffer.from('0000000000', 'hex')),
    5: time(NOW_MS),
    7: time(NOW_MS + 3_600_000),
    9: text(REALM),
    10: principal(service),
  });
  return message(number, {
    0: integer(5),
    1: integer(number),
    3: text(REALM),
    4: principal(parts.client ?? 'alice'),
    5: makeTicket({ service }),
    6: encrypted(parts.key ?? CLIENT_KEY, parts.usage ?? (number === 11 ? 3 : 8), part, 1),
  });
}

/** KRB-ERROR. @param enctypes in the ETYPE-INFO2 of its data */
export function makeError(code: number, timeMs = NOW_MS, enctypes?: readonly number[]): Buffer {
  const infos = (enctypes ?? []).map((enctype) =>
    sequence({ 0: integer(enctype), 1: text('salt') }),
  );
  const method = sequence({ 1: integer(19), 2: octets(der(0x30, ...infos)) });
  return message(30, {
    0: integer(5),
    1: integer(30),
    4: time(timeMs),
    5: integer(0),
    6: integer(code),
    9: text(REALM),
    10: principal(INITIAL_SERVICE),
    11: text('A\u202eTEXT'),
    ...(enctypes === undefined ? {} : { 12: octets(der(0x30, method)) }),
  });
}
