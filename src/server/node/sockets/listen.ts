import type { Server } from 'node:net';
import { ExitCode, ServerError } from '../storage/errors.js';

const DEFAULT_BACKLOG = 50;
/** EADDRINUSE does not say by what. */
const IN_USE =
  'the address is in use, by a listener or by a connection that is closing: take another port, or wait';

export interface ListenOptions {
  /** All addresses without it. */
  readonly host: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  /** 0 or less takes 50. */
  readonly backlog: number;
  /** Who comes there, for the sentence of a failure: "clients". */
  readonly whom: string;
}

/** Binds a listener to its port. @throws ServerError EBIND */
export function listen(listener: Server, options: ListenOptions): Promise<void> {
  const { host, port, backlog, whom } = options;
  return new Promise((resolve, reject) => {
    listener.once('error', (cause: NodeJS.ErrnoException) => {
      const place = `${host ?? '0.0.0.0'}:${port}`;
      const why = cause.code === 'EADDRINUSE' ? IN_USE : cause.message;
      const message = `cannot listen for ${whom} on ${place}: ${why}`;
      reject(new ServerError('EBIND', ExitCode.BIND, message, cause));
    });
    listener.listen(
      {
        port,
        backlog: backlog > 0 ? backlog : DEFAULT_BACKLOG,
        ...(host === undefined ? {} : { host }),
      },
      resolve,
    );
  });
}

/** Where it listens; -1 while it does not. */
export function portOf(listener: Server): number {
  const address = listener.address();
  return address === null || typeof address === 'string' ? -1 : address.port;
}

/** No new client comes; resolves when those that came are gone. */
export function stopListening(listener: Server): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}

/** An IPv4 client of a socket that takes both shows as ::ffff:a.b.c.d. */
export function plainIp(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
