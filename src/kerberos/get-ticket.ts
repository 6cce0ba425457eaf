import { randomInt } from 'node:crypto';
import {
  checksum,
  checksumType,
  decrypt,
  encrypt,
  isSupported,
  type KerberosKey,
  Usage,
} from './encryption.js';
import {
  isFault,
  type KdcFault,
  type KdcReply,
  type KdcReplyPart,
  type PaData,
  PaType,
  readKdcAnswer,
  readKdcReplyPart,
  readKeyTypes,
  writeRequest,
  writeRequestBody,
  writeSealedTimestamp,
  writeTimestamp,
} from './kdc-messages.js';
import { KerberosError } from './kerberos-error.js';
import type { KeytabEntry } from './keytab.js';
import { Message, writeApRequest, writeAuthenticator } from './messages.js';
import { namesOf, type Principal, principalText, ticketService } from './principal.js';

/**
 * How a client gets tickets from KDCs (RFC 4120, 3.1 and 3.3). Pure: a generator yields each
 * question, and continues with the answer.
 */

/** A ticket, and the key that it shares with its service. */
export interface Credentials {
  readonly client: string;
  readonly service: string;
  readonly ticket: Buffer;
  readonly key: KerberosKey;
  /** In ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

/** For any KDC of the realm. */
export interface Question {
  readonly realm: string;
  readonly bytes: Buffer;
}

export type Conversation = Generator<Question, Credentials, Buffer>;

export interface TicketOptions {
  /** Most preferred first. */
  readonly enctypes: readonly number[];
  /** In ms since 1970. */
  readonly now: () => number;
}

/** Realms on the way to that of a service. */
const MAX_REALMS = 8;

/**
 * Proves to a KDC that this client has the keys of the principal.
 * @param keys of the principal only
 */
export function* getInitialTicket(
  client: Principal,
  keys: readonly KeytabEntry[],
  options: TicketOptions,
): Conversation {
  const { realm } = client;
  const enctypes = options.enctypes.filter((type) => keys.some(({ key }) => key.enctype === type));
  if (enctypes.length === 0) {
    const problem = `the keytab has no key of ${principalText(client)} for AES`;
    throw new KerberosError(problem, { kind: 'local' });
  }
  const service = { names: ['krbtgt', realm], realm };
  let data: PaData[] = [];
  for (;;) {
    const nonce = newNonce();
    const body = writeRequestBody({ client, service, nonce, enctypes });
    const bytes = yield { realm, bytes: writeRequest(Message.AS_REQUEST, data, body) };
    const answer = readKdcAnswer(bytes, Message.AS_REPLY);
    if (!isFault(answer)) return initialTicket({ client, service, nonce, keys }, answer);
    if (answer.errorCode !== KdcError.PREAUTH_REQUIRED || data.length > 0) {
      throw kdcRefusal(answer, principalText(client), principalText(service), options.now());
    }
    data = [proofFor(answer, keys, options)];
  }
}

/** The time, encrypted with a key of the client. */
function proofFor(
  { data }: KdcFault,
  keys: readonly KeytabEntry[],
  { enctypes, now }: TicketOptions,
): PaData {
  const wanted = readKeyTypes(data);
  const fit = (wanted.length === 0 ? enctypes : wanted).flatMap((type) =>
    enctypes.includes(type) ? newestOf(keys, type) : [],
  );
  const [key] = fit;
  if (key === undefined) {
    const types = wanted.filter((type) => !isSupported(type)).join(', ') || wanted.join(', ');
    throw new KerberosError(
      `the KDC wants a key of type ${types}, which the keytab lacks (expected AES: 17 to 20)`,
    );
  }
  const cipher = encrypt(key, Usage.TIMESTAMP, writeTimestamp(now()));
  return [PaType.TIMESTAMP, writeSealedTimestamp(key.enctype, cipher)];
}

/** None, or the key with the highest version. */
function newestOf(keys: readonly KeytabEntry[], enctype: number): KerberosKey[] {
  const fit = keys.filter(({ key }) => key.enctype === enctype);
  const newest = Math.max(...fit.map(({ version }) => version));
  return fit.flatMap(({ version, key }) => (version === newest ? [key] : [])).slice(0, 1);
}

interface Asked {
  readonly client: Principal;
  readonly service: Principal;
  readonly nonce: number;
  readonly keys: readonly KeytabEntry[];
}

function initialTicket(asked: Asked, reply: KdcReply): Credentials {
  const { enctype, version, cipher } = reply.part;
  const fit = asked.keys.filter(({ key }) => key.enctype === enctype);
  const exact = fit.filter((entry) => version === undefined || entry.version === version);
  const [entry] = exact.length > 0 ? exact : fit;
  const client = principalText(asked.client);
  if (entry === undefined) {
    throw new KerberosError(`the KDC used a key of ${client} that the keytab lacks`);
  }
  const part = readKdcReplyPart(decrypt(entry.key, Usage.AS_REPLY, cipher));
  check(part, reply, client, asked.nonce);
  if (part.service !== principalText(asked.service)) {
    throw new KerberosError(`the KDC sent a ticket for "${part.service}"`);
  }
  return credentials(reply, part);
}

function credentials({ client, ticket }: KdcReply, part: KdcReplyPart): Credentials {
  const { key, startMs, endMs, service } = part;
  if (!isSupported(key.enctype)) {
    throw new KerberosError(
      `the KDC chose encryption type ${key.enctype} (expected AES: 17 to 20)`,
    );
  }
  return { client, service, ticket: Buffer.from(ticket), key, startMs, endMs };
}

/** What shows that the answer is for this question. */
function check(part: KdcReplyPart, reply: KdcReply, client: string, nonce: number): void {
  if (part.nonce !== nonce) throw new KerberosError('the KDC answered another question');
  if (reply.client !== client) {
    throw new KerberosError(`the KDC sent a ticket of "${reply.client}" (expected ${client})`);
  }
}

/**
 * Gets a ticket for a service, also of another realm that trusts this one.
 * @param initial from getInitialTicket, or from a credential cache
 */
export function* getServiceTicket(
  initial: Credentials,
  service: Principal,
  options: TicketOptions,
): Conversation {
  let current = initial;
  for (let hops = 0; hops < MAX_REALMS; hops++) {
    const [here = ''] = namesOf(current.service).names.slice(1);
    const wanted = here === service.realm ? service : namesOf(ticketService(service.realm, here));
    const next = yield* askTicketService(current, here, wanted, options);
    if (next.service === principalText(service)) return next;
    const { names, realm } = namesOf(next.service);
    const [kind, to] = names;
    // A KDC may name a realm that is nearer.
    if (kind !== 'krbtgt' || to === undefined || to === here || realm !== here) {
      throw new KerberosError(`the KDC of ${here} sent a ticket for "${next.service}"`);
    }
    current = next;
  }
  throw new KerberosError(`no KDC leads to the realm ${service.realm}`);
}

function* askTicketService(
  { ticket, key, client }: Credentials,
  realm: string,
  service: Principal,
  { enctypes, now }: TicketOptions,
): Conversation {
  const nonce = newNonce();
  const body = writeRequestBody({ service: { ...service, realm }, nonce, enctypes });
  const authenticator = writeAuthenticator({
    client,
    checksum: { type: checksumType(key), bytes: checksum(key, Usage.TGS_CHECKSUM, body) },
    timeMs: now(),
  });
  const cipher = encrypt(key, Usage.TGS_AUTHENTICATOR, authenticator);
  const proof = writeApRequest(ticket, { enctype: key.enctype, cipher }, false);
  const data: PaData[] = [[PaType.TGS_REQUEST, proof]];
  const bytes = yield { realm, bytes: writeRequest(Message.TGS_REQUEST, data, body) };
  const reply = readKdcAnswer(bytes, Message.TGS_REPLY);
  if (isFault(reply)) throw kdcRefusal(reply, client, principalText(service), now());
  if (reply.part.enctype !== key.enctype) {
    throw new KerberosError('the KDC answered with another key than that of the session');
  }
  const part = readKdcReplyPart(decrypt(key, Usage.TGS_REPLY, reply.part.cipher));
  check(part, reply, client, nonce);
  return credentials(reply, part);
}

/** 31 bits, because some KDCs read it as a signed number. */
function newNonce(): number {
  return randomInt(1, 0x7fff_ffff);
}

// The errors of KDCs as sentences that say what to do (RFC 4120, 7.5.9).

const KdcError = { PREAUTH_REQUIRED: 25, SERVICE_UNAVAILABLE: 29, CLOCK_SKEW: 37 } as const;

type Sentence = (client: string, service: string) => string;

const SENTENCES: ReadonlyMap<number, Sentence> = new Map<number, Sentence>([
  [1, (client) => `the entry of ${client} in the KDC has expired`],
  [2, (_, service) => `the entry of ${service} in the KDC has expired`],
  [6, (client) => `the KDC does not know ${client} (expected a principal of its realm)`],
  [
    7,
    (_, service) =>
      `the KDC does not know the service ${service} (expected the principal of the server: compare its keytab, and the host in the connect string)`,
  ],
  [12, (client, service) => `the KDC does not let ${client} use ${service}`],
  [
    14,
    (client, service) =>
      `the KDC has no AES key of ${client} or ${service} (expected types 17 to 20)`,
  ],
  [18, (client) => `the KDC has locked ${client}`],
  [23, (client) => `the key of ${client} has expired: change it, and write a new keytab`],
  [24, (client) => `the key of ${client} is not the one of the KDC: write a new keytab`],
  [KdcError.SERVICE_UNAVAILABLE, () => 'the KDC is not available now'],
  [31, (client) => `the key of ${client} is not the one of the KDC: write a new keytab`],
  [32, (client) => `the ticket of ${client} has expired: run kinit`],
  [33, (client) => `the ticket of ${client} is not valid yet: compare the clocks`],
  [68, (client) => `the KDC is not for the realm of ${client}`],
]);

/** @param nowMs by the clock of this host */
function kdcRefusal(
  fault: KdcFault,
  client: string,
  service: string,
  nowMs: number,
): KerberosError {
  const { errorCode, text, timeMs } = fault;
  if (errorCode === KdcError.CLOCK_SKEW) {
    const seconds = Math.round((nowMs - timeMs) / 1000);
    const side = seconds < 0 ? 'slow' : 'fast';
    return new KerberosError(
      `the clock of this host is ${Math.abs(seconds)} s ${side}, compared with the KDC: set it`,
    );
  }
  const kind = errorCode === KdcError.SERVICE_UNAVAILABLE ? 'unreachable' : 'refused';
  const sentence = SENTENCES.get(errorCode)?.(client, service);
  if (sentence !== undefined) return new KerberosError(sentence, { kind });
  const said = text === '' ? '' : `: ${text}`;
  return new KerberosError(`the KDC refuses ${client} with error ${errorCode}${said}`);
}
