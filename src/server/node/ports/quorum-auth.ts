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
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { JaasError, parseSaslLogin, parseSaslUsers } from '../../../protocol/jaas.js';
import { SaslDigestClient, type SaslLogin } from '../../../protocol/sasl-digest-client.js';
import type { Config } from '../../config/config.js';
import {
  type AuthPacket,
  AuthStatus,
  encodeAuthPacket,
  isAuth,
  QUORUM_NAMES,
  readAuthPacket,
} from '../../quorum/wire/auth-packet.js';
import { SaslDigest } from '../../session/sasl-digest.js';
import { addressOf, nameOf } from '../sockets/remote-name.js';
import { ExitCode, ServerError } from '../storage/errors.js';

export interface QuorumAuthOptions {
  /** Passwords by user name. */
  readonly users: ReadonlyMap<string, string>;
  /** The login of this server when it dials, or null. */
  readonly login: SaslLogin | null;
  /** quorum.auth.serverRequireSasl */
  readonly isRequired: boolean;
}

const NOTHING = Buffer.alloc(0);

/** Null without quorum.auth.enableSasl. @throws ServerError ECONFIG for an unusable JAAS file */
export function makeQuorumAuth(config: Config): QuorumAuth | null {
  if (!config.quorumAuthEnableSasl) return null;
  const { saslLoginConfig: file } = config;
  const refuse = (message: string, cause?: unknown): never => {
    throw new ServerError('ECONFIG', ExitCode.USAGE, message, cause);
  };
  if (file === null) {
    return refuse(
      'quorum.auth.enableSasl: needs a JAAS file: -D java.security.auth.login.config=…',
    );
  }
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    refuse(`${file}: java.security.auth.login.config: cannot read: ${reasonOf(cause)}`, cause);
  }
  const { quorumAuthServerLoginContext: ofServer, quorumAuthLearnerLoginContext: ofLearner } =
    config;
  const read = <T>(parse: (text: string, section: string) => T, section: string): T => {
    try {
      return parse(text, section);
    } catch (cause) {
      if (!(cause instanceof JaasError)) throw cause;
      return refuse(`${file}: ${cause.message}`, cause);
    }
  };
  const users = read(parseSaslUsers, ofServer);
  const login = read(parseSaslLogin, ofLearner);
  const expected = 'expected a DigestLoginModule, the only supported login module';
  if (users === undefined) return refuse(`${file}: ${ofServer}: ${expected}, with user_NAME`);
  if (login === undefined) {
    return refuse(`${file}: ${ofLearner}: ${expected}, with username and password`);
  }
  return new QuorumAuth({
    users,
    login: config.quorumAuthLearnerRequireSasl ? login : null,
    isRequired: config.quorumAuthServerRequireSasl,
  });
}

export class QuorumAuth {
  private readonly options: QuorumAuthOptions;

  constructor(options: QuorumAuthOptions) {
    this.options = options;
  }

  /** Authenticates this server to the dialed one. Pauses the socket; destroys it on an error. */
  async prove(socket: Socket, timeoutMs: number): Promise<void> {
    const { login } = this.options;
    if (login === null) return;
    const place = nameOf(socket);
    const exchange = new Exchange(socket, NOTHING);
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    try {
      const client = new SaslDigestClient({ login, names: QUORUM_NAMES, md5, nonce });
      exchange.send({ status: AuthStatus.IN_PROGRESS, token: NOTHING });
      for (;;) {
        const { status, token } = await exchange.receive();
        if (status === AuthStatus.ERROR) throw new Error(`it refuses the user "${login.user}"`);
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
    const { users } = this.options;
    const server = new SaslDigest({ users, names: QUORUM_NAMES, md5, nonce });
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

function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest();
}

function nonce(): string {
  return randomBytes(24).toString('hex');
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
