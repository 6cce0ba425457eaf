import { Fifo } from '../../base/fifo.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { OpCode, Xid } from '../../protocol/op-code.js';

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

interface AuthEntry {
  readonly scheme: string;
  readonly auth: Buffer;
  readonly waiters: Waiter[];
}

/**
 * A server keeps identities per connection, so each new connection sends them again. `add` settles
 * with the first answer.
 */
export class AuthList {
  private readonly entries: AuthEntry[] = [];
  /** Sent on this connection, not yet answered; answers come in this order. */
  private readonly sent = new Fifo<AuthEntry>();

  /** @returns whether it was sent: false without a connection */
  add(scheme: string, auth: Buffer, waiter: Waiter, out: OutputArchive | undefined): boolean {
    const isSame = (entry: AuthEntry) => entry.scheme === scheme && entry.auth.equals(auth);
    let entry = this.entries.find(isSame);
    if (entry === undefined) {
      entry = { scheme, auth: Buffer.from(auth), waiters: [] };
      this.entries.push(entry);
    }
    entry.waiters.push(waiter);
    if (out !== undefined) this.send(entry, out);
    return out !== undefined;
  }

  private send(entry: AuthEntry, out: OutputArchive): void {
    const at = out.skip(4);
    out.writeInt(Xid.auth);
    out.writeInt(OpCode.auth);
    out.writeInt(0);
    out.writeString(entry.scheme);
    out.writeBuffer(entry.auth);
    out.patchInt(at, out.length - at - 4);
    this.sent.push(entry);
  }

  sendAll(out: OutputArchive): void {
    for (const entry of this.entries) this.send(entry, out);
  }

  accepted(): void {
    for (const waiter of this.sent.shift()?.waiters.splice(0) ?? []) waiter.resolve();
  }

  /** Identities without an answer wait for the next connection. */
  disconnected(): void {
    this.sent.drain();
  }

  fail(error: Error): void {
    this.sent.drain();
    for (const entry of this.entries) {
      for (const waiter of entry.waiters.splice(0)) waiter.reject(error);
    }
  }
}
