import { setTimeout as pause } from 'node:timers/promises';
import {
  checkFunction,
  checkString,
  checkWhole,
  outOfRange,
  readFields,
} from '../../protocol/check-argument.js';
import type { CallOptions, SessionClient } from '../base/client.js';
import type { ClientOptions } from '../base/client-options.js';
import { checkCall, withLimits } from '../calls/call-limit.js';
import { createClient } from '../zookeeper.js';
import { checkSrvTarget, type LookUp, lookUpIn, resolveSrv } from './srv-target.js';

/** A source of server addresses, such as DNS, a file, or a registry. */
export interface HostProvider {
  /** The current connect string. A rejection keeps the previous one. */
  connectString(): Promise<string>;
}

/** The limits (CallOptions) hold for the first answer of the provider, and for the connect. */
export interface FollowOptions extends Omit<ClientOptions, 'connectString'>, CallOptions {
  /** How often to ask the provider again, in ms, from 1. Default 60000. */
  readonly refreshMs?: number | undefined;
}

/**
 * The servers of an SRV record (RFC 2782).
 * @example
 * const client = await connectTo(dnsSrvHosts('srv://_zookeeper._tcp.example.org/app'));
 * @param target "srv://_zookeeper._tcp.example.org[/chroot]"; srvs:// for TLS; dns-srv://NAME as in
 *   Apache's client 3.10
 * @param lookUp queries the SRV records of a name; default: the system's name servers
 * @throws RangeError for an invalid target
 */
export function dnsSrvHosts(target: string, lookUp: LookUp = lookUpIn({})): HostProvider {
  checkTarget(target);
  checkFunction('lookUp', lookUp);
  return { connectString: () => resolveSrv(target, lookUp) };
}

const ignore = (): void => undefined;

function checkTarget(target: string): void {
  checkString('target', target);
  try {
    checkSrvTarget(target);
  } catch {
    throw outOfRange('target', target, 'srv://_service._protocol.domain[/chroot]');
  }
}

/**
 * Connects to the servers of a provider and follows its changes. It asks the provider again when
 * the connection is lost, and every `refreshMs`. It passes a changed list to `updateServers`, which
 * balances the clients.
 * @example
 * const client = await connectTo(dnsSrvHosts('srv://_zookeeper._tcp.example.org'));
 * @throws the first error of the provider; the errors of connect(); RequestAbortedError;
 * TimeoutError
 */
export async function connectTo(
  provider: HostProvider,
  options: FollowOptions = {},
): Promise<SessionClient> {
  const { connectString } = readFields('provider', provider, ['connectString'], 'any');
  checkFunction('provider.connectString', connectString);
  const { refreshMs = 60_000 } = readFields('options', options, ['refreshMs'], 'any');
  checkWhole('options.refreshMs', refreshMs, 1);
  const { refreshMs: _, signal: _signal, timeoutMs: _timeoutMs, ...clientOptions } = options;
  const limits = readFields('options', options, ['signal', 'timeoutMs'], 'any');
  return withLimits(checkCall(limits, undefined) ?? {}, (resolve, reject) => {
    const limit = new AbortController();
    const open = async (): Promise<SessionClient> => {
      const first = await provider.connectString();
      limit.signal.throwIfAborted();
      const client = createClient({ ...clientOptions, connectString: first });
      await client.connect({ signal: limit.signal });
      follow(client, provider, first, refreshMs);
      return client;
    };
    open().then(resolve, reject);
    const giveUp = (error: Error): void => {
      reject(error);
      limit.abort(error);
    };
    return { path: undefined, wasSent: false, giveUp };
  });
}

function follow(
  client: SessionClient,
  provider: HostProvider,
  first: string,
  refreshMs: number,
): void {
  let current = first;
  const ended = new AbortController();
  const ask = async (): Promise<void> => {
    try {
      const next = await provider.connectString();
      if (next === current || ended.signal.aborted) return;
      client.updateServers(next);
      current = next;
    } catch {
      // A temporary failure of the provider must not end a working session.
    }
  };
  const end = (): void => ended.abort();
  if (!client.renewsSession) client.on('expired', end);
  client.on('auth-failed', end).on('closed', end);
  client.on('disconnected', () => ask().catch(ignore));
  const repeat = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await pause(refreshMs, undefined, { signal: ended.signal, ref: false }).catch(
        () => undefined,
      );
      if (!ended.signal.aborted) await ask();
    }
  };
  repeat().catch(ignore);
}
