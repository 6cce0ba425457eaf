/**
 * SASL between the servers of an ensemble (quorum.auth.*): the dialing server proves its identity,
 * and the other checks it, before anything else is sent.
 *
 * ```
 *   dialing server                     dialed server
 *     IN_PROGRESS, an empty token  ──▶
 *                                  ◀──  IN_PROGRESS, challenge
 *     IN_PROGRESS, answer          ──▶
 *                                  ◀──  SUCCESS, its own proof; or ERROR
 * ```
 */
import type { Socket } from 'node:net';
import type { SaslClientExchange, SaslExchange } from '../../../protocol/sasl-step.js';
import {
  type AuthPacket,
  AuthStatus,
  encodeAuthPacket,
  isAuth,
  readAuthPacket,
} from '../../quorum/wire/auth-packet.js';
import { addressOf, nameOf } from '../sockets/remote-name.js';

export interface QuorumAuthOptions {
  /**
   * Begins the login of a dialing server.
   * @param hosts of the members
   */
  readonly accept: (hosts: readonly string[]) => SaslExchange | Promise<SaslExchange>;
  /** Begins the login of this server to the one on `host`; null if it does not log in. */
  readonly login: ((host: string) => SaslClientExchange | Promise<SaslClientExchange>) | null;
  /** quorum.auth.serverRequireSasl */
  readonly isRequired: boolean;
}

const NOTHING = Buffer.alloc(0);

export class QuorumAuth {
  private readonly options: QuorumAuthOptions;
  private hosts: readonly string[] = [];

  constructor(options: QuorumAuthOptions) {
    this.options = options;
  }

  /** The hosts of the members from now on: a principal of Kerberos names one of them. */
  setHosts(hosts: readonly string[]): void {
    this.hosts = hosts;
  }

  /**
   * Authenticates this server to the dialed one. Pauses the socket; destroys it on an error.
   * @param host of the dialed server, as the configuration names it
   */
  async prove(socket: Socket, timeoutMs: number, host: string): Promise<void> {
    const { login } = this.options;
    if (login === null) return;
    const place = nameOf(socket);
    const exchange = new Exchange(socket, NOTHING);
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    try {
      const client = await login(host);
      exchange.send({ status: AuthStatus.IN_PROGRESS, token: client.first });
      for (;;) {
        const { status, token } = await exchange.receive();
        if (status === AuthStatus.ERROR) throw new Error(`it refuses the user "${client.user}"`);
        const step = client.step(token);
        if (step.kind === 'failed') throw new Error(step.reason);
        if (step.kind === 'done' && status === AuthStatus.SUCCESS) break;
        if (step.kind === 'continue') {
          exchange.send({ status: AuthStatus.IN_PROGRESS, token: step.token });
        }
      }
      exchange.end();
    } catch (error) {
      socket.destroy();
      const message = `authentication with ${place} failed: ${reasonOf(error)}`;
      throw new Error(message, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Accepts or refuses a dialing server; pauses the socket, and puts further bytes back.
   * @param first bytes already read
   * @throws Error with a reason for an operator; the socket is closed
   */
  async check(socket: Socket, first: Buffer): Promise<void> {
    const place = addressOf(socket);
    const exchange = new Exchange(socket, first);
    try {
      if (await exchange.isBegun()) await this.checkCredentials(exchange);
      else if (this.options.isRequired) {
        throw new Error('it did not try, and quorum.auth.serverRequireSasl=true');
      }
      exchange.end();
    } catch (error) {
      exchange.send({ status: AuthStatus.ERROR, token: NOTHING });
      socket.destroySoon();
      const message = `authentication of ${place} as a server failed: ${reasonOf(error)}`;
      throw new Error(message, { cause: error });
    }
  }

  private async checkCredentials(exchange: Exchange): Promise<void> {
    const server = await this.options.accept(this.hosts);
    for (;;) {
      const { token } = await exchange.receive();
      const step = server.step(token);
      if (step.kind === 'failed') throw new Error(step.reason);
      const isDone = step.kind === 'done';
      const status = isDone ? AuthStatus.SUCCESS : AuthStatus.IN_PROGRESS;
      exchange.send({ status, token: step.token });
      if (isDone) return;
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Packets on a socket that carries another protocol afterwards. */
class Exchange {
  private readonly socket: Socket;
  private bytes: Buffer;
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(socket: Socket, first: Buffer) {
    this.socket = socket;
    this.bytes = first;
    socket.on('data', this.read);
    for (const end of ['end', 'close']) socket.once(end, this.finish);
    socket.resume();
  }

  /** Whether it begins with a packet; false if it ends too early. */
  async isBegun(): Promise<boolean> {
    for (;;) {
      const answer = isAuth(this.bytes);
      if (answer !== undefined) return answer;
      if (this.isEnded) return false;
      await this.more();
    }
  }

  async receive(): Promise<AuthPacket> {
    for (;;) {
      const found = readAuthPacket(this.bytes);
      if (found !== null) {
        this.bytes = this.bytes.subarray(found.length);
        return found.packet;
      }
      if (this.isEnded) throw new Error('it hung up');
      await this.more();
    }
  }

  send(packet: AuthPacket): void {
    if (!this.socket.destroyed) this.socket.write(encodeAuthPacket(packet));
  }

  end(): void {
    const { socket } = this;
    socket.off('data', this.read);
    for (const end of ['end', 'close']) socket.off(end, this.finish);
    socket.pause();
    // An ended socket takes nothing back, and the dialing server gets no answer.
    if (this.bytes.length > 0 && !this.isEnded) socket.unshift(this.bytes);
  }

  private readonly read = (chunk: Buffer): void => {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    this.wake();
  };

  private readonly finish = (): void => {
    this.isEnded = true;
    this.wake();
  };

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
