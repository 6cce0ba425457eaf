/** Unix sockets by which dir-lock.ts finds out which claims on a folder have a living process. */
import { rename, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { isMissing } from './errors.js';

export type ClaimAnswer =
  | { readonly kind: 'gone' }
  | { readonly kind: 'starter' }
  /** The fields are missing if it does not send them. */
  | {
      readonly kind: 'holder';
      readonly pid?: string | undefined;
      readonly host?: string | undefined;
    };

export interface Listening {
  close(): void;
}

interface Place {
  readonly folder: string;
  readonly fd: number;
}

export const CLAIM_PREFIX = 'zkserver.lock.';
/** The name of a socket that may not listen yet. */
export const UNNAMED_PREFIX = 'zkserver.new.';
/** Below the size of sun_path: 104 bytes on BSD, 108 on Linux. */
const MAX_PATH = 100;
const ANSWER_TIMEOUT_MS = 2000;
const MAX_ANSWER = 1024;
const MAX_CONNECTIONS = 64;
/** Errors of systems, and of file systems, without sockets. */
const NO_SOCKETS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS']);

/** Null if the path is too long for a socket. */
function socketPath({ folder, fd }: Place, name: string): string | null {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= MAX_PATH) return path;
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : null;
}

/** Listens before the rename: until then the socket looks dead. Null if no socket can be made. */
export async function listenAt(
  place: Place,
  name: string,
  answer: () => string,
): Promise<Listening | null> {
  const hidden = name.replace(CLAIM_PREFIX, UNNAMED_PREFIX);
  const path = socketPath(place, hidden);
  if (path === null) return null;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.end(answer());
  });
  try {
    if (!(await isListening(server, path))) return null;
  } catch (error) {
    if (isRemoved(error)) return await listenAt(place, name, answer);
    throw error;
  }
  server.unref();
  server.maxConnections = MAX_CONNECTIONS;
  server.on('error', () => undefined);
  try {
    await rename(join(place.folder, hidden), join(place.folder, name));
  } catch (error) {
    server.close();
    // A holder that cleans up took it for a leftover of a crash.
    if (isMissing(error)) return await listenAt(place, name, answer);
    await unlink(join(place.folder, hidden)).catch(() => undefined);
    throw error;
  }
  return { close: () => server.close() };
}

/** A holder that cleans up removed the socket before it got its mode. */
function isRemoved(error: unknown): boolean {
  return isMissing(error) && Object(error).syscall === 'uv_pipe_chmod';
}

function isListening(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (NO_SOCKETS.has(error.code ?? '')) resolve(false);
      else reject(error);
    });
    server.listen({ path, readableAll: true, writableAll: true }, () => resolve(true));
  });
}

export function askClaim(place: Place, name: string): Promise<ClaimAnswer> {
  const path = socketPath(place, name);
  if (path === null) return Promise.resolve({ kind: 'holder' });
  return new Promise((resolve) => {
    const socket = connect({ path });
    let text = '';
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      resolve({ kind: 'holder' });
      socket.destroy();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      const isGone = code === 'ECONNREFUSED' || code === 'ENOENT';
      // A process that ends is asked again, like a starter.
      const isEnding = code === 'ECONNRESET' || code === 'EPIPE';
      resolve({ kind: isGone ? 'gone' : isEnding ? 'starter' : 'holder' });
    });
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8');
      if (text.length > MAX_ANSWER) socket.destroy();
    });
    socket.on('close', () => {
      const [role, pid, host] = text.split(' ');
      resolve(role === 'holder' ? { kind: 'holder', pid, host } : { kind: 'starter' });
    });
  });
}
