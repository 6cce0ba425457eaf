import { setTimeout as delay } from 'node:timers/promises';
import type { ZooKeeperClient } from '../../../client/base/client.js';
import { formatServerAddress } from '../../../client/base/connect-string.js';
import { ConnectError, ZooKeeperError } from '../../../client/base/errors.js';
import { createClient } from '../../../client/zookeeper.js';
import { readSaslFile } from '../../connecting/auth-sources.js';
import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import type { OptionSpecs } from '../../machine/declaration.js';
import { AUTH_OPTIONS } from '../calls/options.js';
import type { TaskCall } from '../calls/task.js';
import { timeoutOf } from './ask-members.js';

export const SESSION_OPTIONS: OptionSpecs = {
  ...AUTH_OPTIONS,
  path: {
    kind: 'text',
    valueName: 'PATH',
    fallback: '/',
    summary: 'parent path of all test znodes',
  },
};

const SESSION_TIMEOUT_MS = 10_000;
const READ_ONLY = 'it is read-only: it has no quorum';

export interface MemberSession {
  readonly server: string;
  readonly address: MemberAddress;
  readonly client: ZooKeeperClient;
}

/** @throws Error with the reason if the member refuses a session */
export async function openSession(call: TaskCall, address: MemberAddress): Promise<MemberSession> {
  const timeoutMs = timeoutOf(call);
  const saslFile = call.text('sasl-file');
  const sasl = saslFile === undefined ? undefined : await readSaslFile(saslFile);
  const scheme = address.isSecure === true ? 'zks://' : '';
  const client = createClient({
    connectString: `${scheme}${formatServerAddress(address)}`,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    connectTimeoutMs: timeoutMs,
    connectRounds: 1,
    requestTimeoutMs: timeoutMs,
    // Without this, a server without a quorum disconnects clients and gives no reason.
    canBeReadOnly: true,
    ...(sasl === undefined ? {} : { sasl }),
    ...(call.tls === undefined || address.isSecure !== true ? {} : { tls: call.tls }),
  });
  try {
    await client.connect();
    if (client.state === 'connected-readonly') throw new Error(READ_ONLY);
    const auth = call.text('auth');
    if (auth !== undefined) await client.addAuth('digest', auth);
  } catch (error) {
    await closeClient(client, timeoutMs);
    throw error;
  }
  return { server: nameOf(address), address, client };
}

/** Deletes the ephemerals of the session. Waits for at most `timeoutMs`. */
export function closeSession({ client }: MemberSession, timeoutMs: number): Promise<void> {
  return closeClient(client, timeoutMs);
}

async function closeClient(client: ZooKeeperClient, timeoutMs: number): Promise<void> {
  const stop = new AbortController();
  await Promise.race([
    client.close(),
    delay(timeoutMs, undefined, { signal: stop.signal }).catch(() => undefined),
  ]);
  stop.abort();
}

export function describeError(error: unknown): string {
  if (error instanceof ZooKeeperError) {
    if (error.code === 'NOAUTH') {
      return `no permission${error.path === undefined ? '' : ` for ${error.path}`}: choose another --path, or add --auth`;
    }
    if (error.code === 'NONODE') return `${error.path ?? 'the znode'} does not exist`;
    if (error.code === 'NOTREADONLY') return READ_ONLY;
    if (error.code === 'AUTHFAILED' && error.cause instanceof Error) return error.cause.message;
    return error.message;
  }
  if (error instanceof ConnectError) {
    const reasons = error.attempts.map(({ reason }) => reason);
    return reasons.length === 0 ? error.message : [...new Set(reasons)].join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}

export function privatePath(call: TaskCall, purpose: string): string {
  const parent = (call.text('path') ?? '/').replace(/(?<!\/)\/+$/, '');
  const unique = `${process.pid}-${Math.random().toString(36).slice(2, 10)}`;
  return `${parent}/zkops-${purpose}-${unique}`;
}
