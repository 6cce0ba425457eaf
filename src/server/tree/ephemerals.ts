import { hex64 } from '../../protocol/zxid.js';

export class Ephemerals {
  /** By session id in hex; no set is empty. */
  private readonly paths = new Map<string, Set<string>>();
  /** The ephemerals of a session come in runs, as when it closes. */
  private last = { owner: 0n, key: hex64(0n) };
  /** The paths of all sessions. */
  count = 0;

  of(sessionId: bigint): ReadonlySet<string> {
    return this.paths.get(hex64(sessionId)) ?? NO_PATHS;
  }

  bySession(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.paths;
  }

  add(owner: bigint, path: string): void {
    const key = this.keyOf(owner);
    const paths = this.paths.get(key);
    if (paths === undefined) this.paths.set(key, new Set([path]));
    else paths.add(path);
    this.count++;
  }

  remove(owner: bigint, path: string): void {
    const key = this.keyOf(owner);
    const paths = this.paths.get(key);
    if (!paths?.delete(path)) return;
    if (paths.size === 0) this.paths.delete(key);
    this.count--;
  }

  /** All of a session, whose znodes the caller deletes. */
  take(owner: bigint): ReadonlySet<string> {
    const taken = this.of(owner);
    this.paths.delete(hex64(owner));
    this.count -= taken.size;
    return taken;
  }

  private keyOf(owner: bigint): string {
    if (owner !== this.last.owner) this.last = { owner, key: hex64(owner) };
    return this.last.key;
  }
}

const NO_PATHS: ReadonlySet<string> = new Set();
