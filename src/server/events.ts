import type { Measured } from './server-stats.js';

/** Everything that can happen to a server. With effects.ts the only way in and out of it. */
export type Event =
  | {
      readonly kind: 'clock';
      /** Milliseconds since 1970: what txns are stamped with. */
      readonly wallMs: number;
      /** Milliseconds of a clock that never goes back: what sessions expire by. */
      readonly monotonicMs: number;
    }
  | {
      readonly kind: 'connected';
      readonly connection: number;
      readonly remoteIp: string;
      readonly remotePort: number;
      /** Of the certificate it showed over TLS, which was checked: RFC 2253. */
      readonly certificateSubject?: string;
    }
  /** The bytes are the server's from now on: nobody writes over them. */
  | { readonly kind: 'received'; readonly connection: number; readonly bytes: Buffer }
  | { readonly kind: 'disconnected'; readonly connection: number }
  /** A client that was turned away before it became a connection. */
  | {
      readonly kind: 'counted';
      readonly what: 'unsuccessful_handshake' | 'tls_handshake_exceeded' | 'connection_rejected';
    }
  /** An operator wants the client to go to another server. */
  | { readonly kind: 'evicted'; readonly connection: number }
  /** All txns up to `zxid` are durable here; the only voter of a standalone server has spoken. */
  | { readonly kind: 'ack'; readonly zxid: bigint }
  /** What only the driver can know of its own work, for the metrics: a duration in ms, or a count. */
  | { readonly kind: 'measured'; readonly what: Measured; readonly value: number };
