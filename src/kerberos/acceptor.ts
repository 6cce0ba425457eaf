/**
 * The acceptor of Kerberos logins: verifies a ticket and its authenticator with the keys of a
 * keytab (RFC 4120, 3.2.3). It never talks to a KDC.
 */
import { createHash, randomInt } from 'node:crypto';
import { decrypt, encrypt, type KerberosKey, Usage } from './encryption.js';
import type { EncryptedData } from './fields.js';
import {
  GSS_CHECKSUM,
  GssContext,
  readInitialToken,
  TokenId,
  writeInitialToken,
} from './gss-token.js';
import { KerberosError } from './kerberos-error.js';
import type { KeytabEntry } from './keytab.js';
import {
  type ApRequest,
  type Authenticator,
  readApRequest,
  readAuthenticator,
  readTicketPart,
  type TicketPart,
  writeApReply,
  writeApReplyPart,
} from './messages.js';

export interface AcceptorOptions {
  /** "zookeeper/host@REALM" */
  readonly principal: string;
  /** Called for each login, so that it may read a changed file. @throws KerberosError */
  readonly keys: () => readonly KeytabEntry[];
  /** In ms since 1970. */
  readonly now: () => number;
}

export interface Accepted {
  /** "user@REALM" */
  readonly client: string;
  readonly context: GssContext;
  /** For a client that wants the server to prove itself, too. */
  readonly reply: Buffer | null;
}

/** As the default of clockskew in krb5.conf. */
const CLOCK_SKEW_MS = 300_000;
/** Logins within the time in which a captured one could be sent again. */
const MAX_RECENT = 100_000;

export class Acceptor {
  private readonly options: AcceptorOptions;
  /** The time of each recent authenticator by its hash, oldest first. */
  private readonly recent = new Map<string, number>();

  constructor(options: AcceptorOptions) {
    this.options = options;
  }

  /** @throws KerberosError for a login that proves no identity */
  accept(token: Buffer): Accepted {
    const request = readApRequest(readInitialToken(token, TokenId.AP_REQUEST));
    const ticket = this.openTicket(request);
    const authenticator = readAuthenticator(
      decrypt(ticket.key, Usage.AUTHENTICATOR, cipherOf(request.authenticator, ticket.key)),
    );
    this.check(ticket, authenticator);
    this.remember(request.authenticator.cipher);
    const key = authenticator.subkey ?? ticket.key;
    const theirSequence = authenticator.sequence ?? 0;
    if (!request.isMutual) {
      const context = new GssContext(key, theirSequence, 'acceptor');
      return { client: ticket.client, context, reply: null };
    }
    const sequence = randomInt(0x4000_0000);
    const part = encrypt(ticket.key, Usage.AP_REPLY, writeApReplyPart(authenticator, sequence));
    const reply = writeInitialToken(TokenId.AP_REPLY, writeApReply(ticket.key.enctype, part));
    return { client: ticket.client, context: new GssContext(key, sequence, 'acceptor'), reply };
  }

  private openTicket({ ticket: { service, part } }: ApRequest): TicketPart {
    const { principal, keys } = this.options;
    if (service !== principal) {
      throw new KerberosError(`the ticket is for "${service}" (expected ${principal})`);
    }
    const all = keys().filter((entry) => entry.principal === principal);
    const fit = all.filter(
      ({ key, version }) =>
        key.enctype === part.enctype && (part.version === undefined || part.version === version),
    );
    if (fit.length === 0) {
      const wanted = `version ${part.version ?? 'unknown'}, encryption type ${part.enctype}`;
      throw new KerberosError(`the keytab has no key of ${principal} with ${wanted}`);
    }
    let failure: unknown;
    for (const { key } of fit) {
      try {
        return readTicketPart(decrypt(key, Usage.TICKET, part.cipher));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  private check(ticket: TicketPart, authenticator: Authenticator): void {
    const nowMs = this.options.now();
    if (ticket.isInvalid) throw new KerberosError('the ticket is not valid');
    if (ticket.startMs > nowMs + CLOCK_SKEW_MS) {
      throw new KerberosError('the ticket is not valid yet: compare the clocks');
    }
    if (ticket.endMs < nowMs - CLOCK_SKEW_MS) throw new KerberosError('the ticket has expired');
    if (Math.abs(authenticator.timeMs - nowMs) > CLOCK_SKEW_MS) {
      throw new KerberosError('the clocks differ by more than five minutes');
    }
    if (authenticator.client !== ticket.client) {
      throw new KerberosError('the authenticator names another client than the ticket');
    }
    if (authenticator.checksum?.type !== GSS_CHECKSUM) {
      throw new KerberosError('the authenticator is not for GSS-API');
    }
  }

  private remember(authenticator: Buffer): void {
    const nowMs = this.options.now();
    for (const [hash, timeMs] of this.recent) {
      // Twice the skew: the authenticator may have come from the future.
      if (timeMs > nowMs - 2 * CLOCK_SKEW_MS) break;
      this.recent.delete(hash);
    }
    const hash = createHash('sha256').update(authenticator).digest('base64');
    if (this.recent.has(hash)) throw new KerberosError('the login was sent before');
    if (this.recent.size >= MAX_RECENT) throw new KerberosError('too many logins at once');
    this.recent.set(hash, nowMs);
  }
}

function cipherOf({ enctype, cipher }: EncryptedData, key: KerberosKey): Buffer {
  if (enctype === key.enctype) return cipher;
  throw new KerberosError('the authenticator has another encryption type than its key');
}
