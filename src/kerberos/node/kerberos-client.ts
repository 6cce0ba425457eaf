import { lookup, lookupService } from 'node:dns/promises';
import { connect } from 'node:net';
import type { KerberosOptions } from '../../protocol/sasl-login.js';
import {
  type Conversation,
  type Credentials,
  getInitialTicket,
  getServiceTicket,
} from '../get-ticket.js';
import { GssapiClient } from '../gssapi-client.js';
import { KerberosError } from '../kerberos-error.js';
import type { KdcAddress, Krb5Conf } from '../krb5-conf.js';
import { namesOf, type Principal, principalText, ticketService } from '../principal.js';
import { defaultCache, readCredentialCache, readKeytab, readKrb5Conf } from './kerberos-files.js';

/**
 * Logs in to services by Kerberos: reads the files at each login, asks KDCs, and keeps tickets
 * until they expire.
 */

export interface KerberosClientOptions {
  readonly login: KerberosOptions;
  /** In ms since 1970. Default: Date.now. */
  readonly now?: () => number;
}

interface Used {
  readonly ticket: Credentials;
  /** The last login with it. */
  readonly exchange: GssapiClient;
}

/** A ticket that expires this soon is not used any more. */
const MARGIN_MS = 60_000;
const DEFAULT_SERVICE = 'zookeeper';

export class KerberosClient {
  private readonly login: KerberosOptions;
  private readonly now: () => number;
  private initial: Credentials | null = null;
  private readonly services = new Map<string, Used>();

  constructor({ login, now }: KerberosClientOptions) {
    this.login = login;
    this.now = now ?? Date.now;
  }

  /**
   * The client's side of a login to the server on this host.
   * @throws KerberosError with a sentence that says what to do
   */
  async begin(host: string): Promise<GssapiClient> {
    const conf = readKrb5Conf(this.login.krb5Conf);
    const initial = await this.initialTicket(conf);
    const { realm } = namesOf(initial.client);
    const service = await this.serviceFor(host, conf, realm);
    const name = principalText(service);
    const known = this.services.get(name);
    // A server that refused a ticket may have new keys.
    const isUsable =
      known?.exchange.isDone === true &&
      known.ticket.client === initial.client &&
      this.isFresh(known.ticket);
    const ticket = isUsable ? known.ticket : await this.serviceTicket(initial, service, conf);
    const exchange = new GssapiClient(ticket, this.now());
    this.services.set(name, { ticket, exchange });
    return exchange;
  }

  private async serviceTicket(
    initial: Credentials,
    service: Principal,
    conf: Krb5Conf,
  ): Promise<Credentials> {
    const options = { enctypes: conf.enctypes, now: this.now };
    const ticket = await converse(conf, getServiceTicket(initial, service, options));
    this.checkTimes(ticket, initial.client);
    return ticket;
  }

  private isFresh({ endMs }: Credentials): boolean {
    return endMs - MARGIN_MS > this.now();
  }

  private checkTimes({ endMs }: Credentials, client: string): void {
    if (endMs > this.now()) return;
    throw new KerberosError(`the KDC sent an expired ticket of ${client}: compare the clocks`);
  }

  private async initialTicket(conf: Krb5Conf): Promise<Credentials> {
    const { keytab, ticketCache } = this.login;
    const cache = ticketCache || defaultCache();
    if (keytab === undefined) return this.cachedTicket(cache, conf);
    if (ticketCache !== undefined) {
      try {
        return this.cachedTicket(cache, conf);
      } catch (error) {
        if (!(error instanceof KerberosError)) throw error;
      }
    }
    return this.ticketOfKeytab(keytab, conf);
  }

  /** Read again each time: kinit may have written a newer one. */
  private cachedTicket(file: string, conf: Krb5Conf): Credentials {
    const cache = readCredentialCache(file);
    const wanted = this.login.principal;
    const client =
      wanted === undefined ? cache.principal : principalText(namesOf(wanted, conf.defaultRealm));
    const { realm } = namesOf(client);
    const service = ticketService(realm, realm);
    const local = (problem: string) => new KerberosError(`${file}: ${problem}`, { kind: 'local' });
    const found = cache.credentials.filter(
      (each) => each.client === client && each.service === service,
    );
    const last = found.sort((a, b) => b.endMs - a.endMs)[0];
    if (last === undefined) {
      throw local(`no ticket of ${client} (it is of ${cache.principal}): run kinit ${client}`);
    }
    if (last.endMs > this.now()) return last;
    const date = new Date(last.endMs).toISOString();
    throw local(`the ticket of ${client} expired at ${date}: run kinit`);
  }

  private async ticketOfKeytab(file: string, conf: Krb5Conf): Promise<Credentials> {
    if (this.initial !== null && this.isFresh(this.initial)) return this.initial;
    const client = namesOf(this.login.principal ?? '', conf.defaultRealm);
    const name = principalText(client);
    const keys = readKeytab(file).filter(({ principal }) => principal === name);
    if (keys.length === 0) {
      throw new KerberosError(`${file}: no key of ${name}`, { kind: 'local' });
    }
    const { enctypes } = conf;
    const conversation = getInitialTicket(client, keys, { enctypes, now: this.now });
    const ticket = await converse(conf, conversation);
    this.checkTimes(ticket, name);
    this.services.clear();
    this.initial = ticket;
    return ticket;
  }

  private async serviceFor(host: string, conf: Krb5Conf, realm: string): Promise<Principal> {
    const { servicePrincipal, serviceName = DEFAULT_SERVICE, serviceRealm } = this.login;
    if (servicePrincipal !== undefined) {
      const [, named = ''] = /\/([^@]+)/.exec(servicePrincipal) ?? [];
      return namesOf(servicePrincipal, serviceRealm ?? conf.realmOf(named) ?? realm);
    }
    const name = this.login.isHostCanonicalized === false ? host : await canonicalName(host);
    const text = `${serviceName}/${name.toLowerCase()}`;
    return namesOf(text, serviceRealm ?? conf.realmOf(name) ?? realm);
  }
}

async function converse(conf: Krb5Conf, conversation: Conversation): Promise<Credentials> {
  let step = conversation.next();
  while (step.done !== true) {
    const { realm, bytes } = step.value;
    const kdcs = conf.kdcsOf(realm);
    if (kdcs.length === 0) {
      const problem = `krb5.conf names no KDC of ${realm}: add kdc = HOST to [realms]`;
      throw new KerberosError(problem, { kind: 'local' });
    }
    step = conversation.next(await askKdcs(realm, kdcs, bytes));
  }
  return step.value;
}

/** The questions of canonicalName() to DNS; `lookup` finds all addresses of a name. */
export interface NameSource {
  lookup(host: string): Promise<readonly { readonly address: string }[]>;
  lookupService(address: string): Promise<{ readonly hostname: string }>;
}

const DNS: NameSource = {
  lookup: (host) => lookup(host, { all: true }),
  lookupService: (address) => lookupService(address, 0),
};

/** The name of the address of `host`, if that name has this address; else `host`. */
export async function canonicalName(host: string, dns = DNS): Promise<string> {
  try {
    const [first] = await dns.lookup(host);
    if (first === undefined) return host;
    const { address } = first;
    const { hostname } = await dns.lookupService(address);
    const back = await dns.lookup(hostname);
    const isSame = back.some((found) => found.address === address);
    return isSame && hostname !== address ? hostname : host;
  } catch {
    return host;
  }
}

// Asks KDCs over TCP (RFC 4120, 7.2.2): each message has its length before it.

/**
 * `timeMs` is for each KDC, from the connect to the whole answer. Tickets of Active Directory list
 * the groups of a user, up to 64 KiB. docs/limits.md has both.
 */
export const KDC_LIMITS = { timeMs: 3000, answerBytes: 256 * 1024 };

/**
 * The answer of the first KDC that has one.
 * @throws KerberosError with the fault of each KDC
 */
export async function askKdcs(
  realm: string,
  kdcs: readonly KdcAddress[],
  question: Buffer,
  timeoutMs = KDC_LIMITS.timeMs,
): Promise<Buffer> {
  const faults: string[] = [];
  for (const kdc of kdcs) {
    try {
      return await askKdc(kdc, question, timeoutMs);
    } catch (error) {
      faults.push(`${kdc.host}:${kdc.port} ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new KerberosError(`no KDC of ${realm} answered: ${faults.join(', ')}`, {
    kind: 'unreachable',
  });
}

function askKdc({ host, port }: KdcAddress, question: Buffer, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const chunks: Buffer[] = [];
    let received = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (problem: string): void => end(() => reject(new Error(problem)));
    const timer = setTimeout(() => fail(`did not answer within ${timeoutMs} ms`), timeoutMs);
    socket.once('connect', () => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(question.length);
      socket.write(Buffer.concat([length, question]));
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (received < 4) return;
      const [first = chunk] = chunks;
      const head = first.length >= 4 ? first : Buffer.concat(chunks);
      const length = head.readUInt32BE(0);
      if (length > KDC_LIMITS.answerBytes) {
        fail(`announced ${length} bytes (expected at most ${KDC_LIMITS.answerBytes})`);
      } else if (received >= 4 + length) {
        end(() => resolve(Buffer.concat(chunks).subarray(4, 4 + length)));
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('close', () => fail('closed the connection'));
  });
}
