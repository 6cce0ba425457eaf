/** TLS before an HTTP server, which still listens and closes, so it knows all its connections. */
import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { LimitName } from '../../limits/limits.js';
import { TlsGate } from '../tls/tls-gate.js';
import type { TlsOptions } from '../tls/tls-options.js';

export interface HttpTls {
  readonly tls: TlsOptions;
  readonly isPlainTaken: boolean;
  /** For the first byte, which decides between TLS and plain. */
  readonly detectionTimeoutMs: number;
  readonly onFailure: (reason: string) => void;
  readonly onPlain: () => void;
}

type Serve = (socket: Socket) => void;

export class HttpGate {
  private readonly gate: TlsGate;
  private readonly subjects = new WeakMap<object, string>();

  constructor(
    server: HttpServer,
    { tls, isPlainTaken, onPlain, ...options }: HttpTls,
    onLimit: (limit: LimitName, from: string, value: number) => void,
  ) {
    const serve = server.listeners('connection').map((listener) => listener.bind(server) as Serve);
    const handOn = (socket: Socket): void => {
      for (const one of serve) one(socket);
    };
    this.gate = new TlsGate({
      ...options,
      tls,
      maxHandshakes: 0,
      maxPerAddress: 0,
      accept: (socket, subject) => {
        if (subject !== undefined) this.subjects.set(socket, subject);
        handOn(socket);
      },
      onTooMany: () => undefined,
      onRejected: () => undefined,
      onLimit,
    });
    const acceptPlain = (socket: Socket): void => {
      onPlain();
      handOn(socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) =>
      this.gate.take(socket, isPlainTaken ? acceptPlain : undefined),
    );
  }

  subjectOf(socket: Socket): string | undefined {
    return this.subjects.get(socket);
  }

  reload(context: SecureContextOptions): void {
    this.gate.reload(context);
  }

  /** Closes the sockets that have not reached the server yet. */
  close(): void {
    this.gate.close();
  }
}
