// The right to write the manifest. Each write is conditional on the previous one. A store that
// ignores conditions gets a read before each write: it refuses a second writer almost as well.

import { hostname } from 'node:os';
import { runFault } from '../../ensemble/run-fault.js';
import {
  encodeManifest,
  type FoundManifest,
  type KeptFile,
  MANIFEST,
  type Manifest,
  readManifest,
  type Writer,
} from './manifest.js';
import type { ObjectStore } from './object-store.js';
import { type SpoolLink, writeLink } from './spool-link.js';

const LEASE_MS = 60_000;
const END_MS = 5000;

export class Lease {
  private readonly store: ObjectStore;
  private readonly spool: { readonly path: string; readonly marker: string };
  private readonly now: () => Date;
  private link: SpoolLink;
  private current: FoundManifest | undefined;
  private hasConditions = true;

  constructor(
    store: ObjectStore,
    spool: { readonly path: string; readonly marker: string },
    link: SpoolLink,
    current: FoundManifest | undefined,
    now: () => Date,
  ) {
    this.store = store;
    this.spool = spool;
    this.link = link;
    this.current = current;
    this.now = now;
  }

  /** @throws CommandError while the lease of another spool folder lasts */
  static refuseOther(
    target: string,
    writer: Writer | undefined,
    ownId: string | undefined,
    nowMs: number,
  ): void {
    if (writer === undefined || writer.spool === ownId || writer.untilMs <= nowMs) return;
    throw runFault(
      `${target}: another backup writes to it: ${whoIs(writer)}\nStop that one, or wait until ${new Date(writer.untilMs).toISOString()}`,
    );
  }

  /** The files of the manifest in the bucket. */
  get files(): readonly KeptFile[] {
    return this.current?.manifest.files ?? [];
  }

  /** Also finds out whether the store knows conditions: one that no store may accept. */
  async take(): Promise<void> {
    await this.store.patiently(() => this.write(this.files));
    if (this.current === undefined) return;
    const body = encodeManifest(this.current.manifest);
    const etag = await this.store.patiently(() =>
      this.store.put(MANIFEST, body, { ifNoneMatch: '*' }),
    );
    if (etag === false) return;
    this.hasConditions = false;
    this.current = { ...this.current, etag };
  }

  /** @throws CommandError if another backup has written since then */
  async write(files: readonly KeptFile[], lengthMs = LEASE_MS, store = this.store): Promise<void> {
    const generation = this.link.generation + 1;
    const untilMs = lengthMs === 0 ? 0 : this.now().getTime() + lengthMs;
    const host = hostname().replace(/[^\w.-]/g, '-') || 'unknown';
    const writer = { spool: this.link.id, host, pid: process.pid, untilMs };
    const manifest = { generation, marker: this.spool.marker, writer, files };
    this.link = { ...this.link, generation };
    writeLink(this.spool.path, this.link);
    const etag = await this.put(store, manifest);
    this.current = { manifest, etag };
  }

  async end(): Promise<void> {
    const store = this.store.with(AbortSignal.timeout(END_MS));
    try {
      await this.write(this.files, 0, store);
    } catch {
      // It expires.
    }
  }

  private async put(store: ObjectStore, manifest: Manifest): Promise<string> {
    const before = this.current;
    const isOurs = this.hasConditions || (await this.isUnchanged(store));
    const condition =
      before === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: before.etag };
    const etag = isOurs && (await store.put(MANIFEST, encodeManifest(manifest), condition));
    if (typeof etag === 'string' && etag !== '') return etag;
    const found = await readManifest(store);
    const writer = found?.manifest.writer;
    // The answer of an earlier try may have been lost.
    const { spool, host, pid } = manifest.writer;
    const isSelf = writer?.spool === spool && writer.host === host && writer.pid === pid;
    if (found !== undefined && isSelf) {
      if (found.manifest.generation === manifest.generation) return found.etag;
      this.current = found;
      return this.put(store, manifest);
    }
    const by = writer === undefined ? 'its manifest was removed' : whoIs(writer);
    throw runFault(
      `${store.place.text}: another backup continued it: ${by}\nStop that one, or choose another prefix with --to`,
    );
  }

  private async isUnchanged(store: ObjectStore): Promise<boolean> {
    const found = await readManifest(store);
    return found?.etag === this.current?.etag;
  }
}

function whoIs({ host, pid }: Writer): string {
  return `process ${pid} on ${host}`;
}
