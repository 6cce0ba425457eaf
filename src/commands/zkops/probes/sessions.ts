import { setTimeout as delay } from 'node:timers/promises';
import type { ZooKeeperClient } from '../../../client/client.js';
import { formatServerAddress } from '../../../client/connect-string.js';
import { ConnectError, ZooKeeperError } from '../../../client/errors.js';
import { createClient } from '../../../client/zookeeper.js';
import { type MemberAddress, nameOf } from '../../ensemble/member-address.js';
import type { CallOption } from '../../program/command-line.js';
import type { TaskCall } from '../calls/task.js';
import { timeoutOf } from './ask-members.js';

/** Who a session is, and where it may write. */
export const SESSION_OPTIONS: readonly CallOption[] = [
  ['--auth <user:password>', 'who to be, by the digest scheme'],
  ['--path <path>', 'below which to work', 'text', '/'],
];

const SESSION_TIMEOUT_MS = 10_000;
const READ_ONLY = 'it is read-only: it is without a quorum';

/** A session with one member, and no other. */
export interface MemberSession {
  readonly server: string;
  readonly address: MemberAddress;
  readonly client: ZooKeeperClient;
}

/** @throws Error that says why the member takes no session */
export async function openSession(call: TaskCall, address: MemberAddress): Promise<MemberSession> {
  const timeoutMs = timeoutOf(call);
  const scheme = address.isSecure === true ? 'zks://' : '';
  const client = createClient({
    connectString: `${scheme}${formatServerAddress(address)}`,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    connectTimeoutMs: timeoutMs,
    connectRounds: 1,
    requestTimeoutMs: timeoutMs,
    // Another client is only turned away, and not told why.
    canBeReadOnly: true,
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

/** Ends the session, and with it its ephemerals; waits no longer than the time given. */
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

/** What went wrong, in words. */
export function describeError(error: unknown): string {
  if (error instanceof ZooKeeperError) {
    if (error.code === 'NOAUTH') {
      return `no permission${error.path === undefined ? '' : ` for ${error.path}`}: name a --path to work below, or give --auth`;
    }
    if (error.code === 'NONODE') return `${error.path ?? 'the znode'} is not there`;
    if (error.code === 'NOTREADONLY') return READ_ONLY;
    return error.message;
  }
  if (error instanceof ConnectError) {
    const reasons = error.attempts.map(({ reason }) => reason);
    return reasons.length === 0 ? error.message : [...new Set(reasons)].join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}

/** A path that nobody else has, below the one given. */
export function privatePath(call: TaskCall, purpose: string): string {
  const parent = (call.text('path') ?? '/').replace(/\/+$/, '');
  const unique = `${process.pid}-${Math.random().toString(36).slice(2, 10)}`;
  return `${parent}/zkops-${purpose}-${unique}`;
}
