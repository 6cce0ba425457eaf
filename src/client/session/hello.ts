import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';

export interface Hello {
  /** The last zxid seen. A server with an older state closes the connection without an answer. */
  readonly zxidHigh: number;
  readonly zxidLow: number;
  readonly timeoutMs: number;
  /** 0n requests a new session. */
  readonly sessionId: bigint;
  readonly password: Buffer;
  readonly canBeReadOnly: boolean;
}

export interface Welcome {
  /** Negotiated, in ms; 0 or less if the session expired or is refused. */
  readonly timeoutMs: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
  readonly isReadOnly: boolean;
}

export const NO_PASSWORD: Buffer = Buffer.alloc(16);

const PROTOCOL_VERSION = 0;

export function writeHello(out: OutputArchive, hello: Hello): void {
  const at = out.skip(4);
  out.writeInt(PROTOCOL_VERSION);
  out.writeLongParts(hello.zxidHigh, hello.zxidLow);
  out.writeInt(hello.timeoutMs);
  out.writeLong(hello.sessionId);
  out.writeBuffer(hello.password);
  out.writeBool(hello.canBeReadOnly);
  out.patchInt(at, out.length - at - 4);
}

/** A read-only server without local sessions answers with the header of a reply (NOTREADONLY). */
const REFUSAL_LENGTH = 16;

/** Null if a read-only server grants no session. Servers before 3.4 omit the readOnly byte. */
export function readWelcome(input: InputArchive): Welcome | null {
  if (input.remaining === REFUSAL_LENGTH) return null;
  input.readInt();
  const timeoutMs = input.readInt();
  const sessionId = input.readLong();
  const password = Buffer.from(input.readBuffer() ?? NO_PASSWORD);
  const isReadOnly = input.remaining > 0 && input.readBool();
  return { timeoutMs, sessionId, password, isReadOnly };
}
