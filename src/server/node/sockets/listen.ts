import type { Server } from 'node:net';
import { ExitCode, ServerError } from '../storage/errors.js';

/**
 * When a member fails, all its clients connect at once. The kernel drops connections beyond the
 * backlog, which clients repeat after 1 s or more. It caps the value (net.core.somaxconn).
 */
const BACKLOG = 4096;
/** EADDRINUSE does not say why. */
const IN_USE =
  'in use by a listener or a closing connection. Stop the server that uses it, or use another port, or wait';
/** A member with the myid of another one tries its address. */
const NOT_HERE =
  'not an address of this machine. Correct it in zoo.cfg, or the number of this server in myid';

export interface ListenOptions {
  /** All addresses by default. */
  readonly host: string | undefined;
  readonly port: number;
  /** Connections that wait for accept; without a positive number, BACKLOG. */
  readonly backlog?: number;
  /** For error texts: "clients". */
  readonly whom: string;
}

/** @throws ServerError EBIND */
export function listen(listener: Server, options: ListenOptions): Promise<void> {
  const { host, port, backlog = 0, whom } = options;
  return new Promise((resolve, reject) => {
    listener.once('error', (cause: NodeJS.ErrnoException) => {
      const place = formatAddress(host ?? '0.0.0.0', port);
      const message = `${place}: cannot listen for ${whom}: ${reasonOf(cause)}`;
      reject(new ServerError('EBIND', ExitCode.BIND, message, cause));
    });
    listener.listen(
      {
        port,
        backlog: backlog > 0 ? backlog : BACKLOG,
        ...(host === undefined ? {} : { host }),
      },
      resolve,
    );
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return IN_USE;
  return code === 'EADDRNOTAVAIL' ? `${message}: ${NOT_HERE}` : message;
}

/** "host:port", with brackets around an IPv6 address. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** -1 while it does not listen. */
export function portOf(listener: Server): number {
  const address = listener.address();
  return address === null || typeof address === 'string' ? -1 : address.port;
}

/** Resolves when all connections are closed. */
export function stopListening(listener: Server): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}

/** Removes the prefix of an IPv4 client on a dual-stack socket (::ffff:a.b.c.d). */
export function plainIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
