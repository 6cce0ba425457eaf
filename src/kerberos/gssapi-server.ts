/**
 * The server's side of SASL GSSAPI (RFC 4752), without a security layer. The login comes first; a
 * client that asked for a proof answers it with an empty token. Then both sides agree on no layer:
 *
 * ```
 *   byte layers | 3 bytes of the largest message, 0 without a layer | name, from the client only
 * ```
 */
import type { SaslExchange, SaslStep } from '../protocol/sasl-step.js';
import type { Accepted, Acceptor } from './acceptor.js';
import { KerberosError } from './kerberos-error.js';

const NO_LAYER = 1;
const OFFER = Buffer.from([NO_LAYER, 0, 0, 0]);

export class GssapiServer implements SaslExchange {
  private readonly acceptor: Acceptor;
  private readonly userOf: (client: string) => string;
  private accepted: Accepted | null = null;
  private isOffered = false;
  private isOver = false;

  /** @param userOf the id of a principal */
  constructor(acceptor: Acceptor, userOf: (client: string) => string) {
    this.acceptor = acceptor;
    this.userOf = userOf;
  }

  step(token: Buffer): SaslStep {
    if (this.isOver) return { kind: 'failed', reason: 'the exchange is over' };
    try {
      return this.answer(token);
    } catch (error) {
      this.isOver = true;
      if (!(error instanceof KerberosError)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  private answer(token: Buffer): SaslStep {
    if (this.accepted === null) {
      this.accepted = this.acceptor.accept(token);
      const { reply } = this.accepted;
      return reply === null ? this.offer() : { kind: 'continue', token: reply };
    }
    if (this.isOffered) return this.finish(this.accepted, token);
    if (token.length > 0) throw new KerberosError('expected an empty token after the proof');
    return this.offer();
  }

  private offer(): SaslStep {
    this.isOffered = true;
    const token = this.accepted?.context.wrap(OFFER);
    if (token === undefined) throw new KerberosError('no login');
    return { kind: 'continue', token };
  }

  private finish({ client, context }: Accepted, token: Buffer): SaslStep {
    const choice = context.unwrap(token);
    if (choice[0] !== NO_LAYER || choice.length < OFFER.length) {
      throw new KerberosError(
        'the client asks for a security layer, which ZooKeeper does not have',
      );
    }
    const name = choice.toString('utf8', OFFER.length);
    if (name !== '' && name !== client) {
      throw new KerberosError(`${client} asks to act as "${name}"`);
    }
    this.isOver = true;
    return { kind: 'done', token: Buffer.alloc(0), user: this.userOf(client) };
  }
}
