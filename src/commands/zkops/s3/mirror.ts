// Keeps a backup in a bucket equal to a spool folder. The folder is an ordinary backup, which has
// verified all that it contains. What the manifest names is whole at any moment: parts come first,
// then the manifest, and only then old parts go, if the bucket has all that it names: what someone
// else deleted there is written again first. The manifest is also the
// lease: each write of it is conditional on the previous one, so a second writer fails. Only what
// the backup itself removed leaves the bucket: what the spool folder lost is filled from there.

import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { logsAmong } from '../../../files/recovery.js';
import { listFiles } from '../../data-files/find-files.js';
import { runFault } from '../../ensemble/run-fault.js';
import type { CommandError } from '../../program/command-error.js';
import { download, matchingParts, refill, refuseDamage } from './download.js';
import { Lease } from './lease.js';
import {
  type FoundManifest,
  isKeyOfPart,
  type KeptFile,
  keyOfPart,
  keysOf,
  MANIFEST,
  MAX_PART,
  type Part,
  sizeOf,
} from './manifest.js';
import type { MirrorTimes, MirrorWorld, Spool } from './mirror-world.js';
import { type ObjectStore, StoreFault, sha256Of } from './object-store.js';
import { bytesOf, type PlannedFile, plannedFiles } from './spool-files.js';
import { newLink, readLink, relationOf, writeLink } from './spool-link.js';

const TIMES: MirrorTimes = { paceMs: 5000, renewMs: 20_000, pauseMs: 1000 };
/** More small parts at the end of a log become large ones. */
const MAX_SMALL_PARTS = 32;
const MAX_PAUSE_MS = 60_000;
const FLUSH_TRIES = 5;

export class Mirror {
  private readonly store: ObjectStore;
  private readonly spool: Spool;
  private readonly world: MirrorWorld;
  private readonly lease: Lease;
  private readonly times: MirrorTimes;
  /** In the bucket, but not all in its manifest yet. */
  private readonly parts = new Map<string, Part[]>();
  /** All keys that may be in the bucket. */
  private readonly stored = new Set<string>();
  /** Files that the backup removed. */
  private readonly released = new Set<string>();
  private plan: PlannedFile[] | undefined;
  private todo: PlannedFile[] = [];
  private publishedAt = 0;
  private pausedUntil = 0;
  private failures = 0;
  private fault: StoreFault | undefined;

  private constructor(store: ObjectStore, spool: Spool, world: MirrorWorld, lease: Lease) {
    this.store = store;
    this.spool = spool;
    this.world = world;
    this.lease = lease;
    this.times = world.times ?? TIMES;
  }

  /**
   * Takes the lease. Fills a new spool folder from the bucket.
   * @throws CommandError while another backup writes, or for a spool folder of another backup
   */
  static async open(
    store: ObjectStore,
    spool: Spool,
    found: FoundManifest | undefined,
    world: MirrorWorld,
  ): Promise<Mirror> {
    const target = store.place.text;
    let link = readLink(spool.path);
    const isEmpty = (await listFiles(spool.files)).length === 0;
    Lease.refuseOther(target, found?.manifest.writer, link?.id, world.now().getTime());
    const relation = relationOf({ spool: spool.path, target, isEmpty }, link, found?.manifest);
    // A manifest is written before any part.
    if (found === undefined) refuseParts(target, await store.list());
    link ??= newLink(target, relation === 'load');
    writeLink(spool.path, link);
    let current = found;
    if (relation === 'load' && found !== undefined) {
      const loaded = await download(store, found, spool, world.progress);
      refuseDamage(store, loaded.damage);
      current = loaded;
    }
    link = { ...link, generation: current?.manifest.generation ?? 0, isLoading: false };
    const lease = new Lease(store, spool, link, current, world.now);
    const mirror = new Mirror(store, spool, world, lease);
    await lease.take();
    try {
      await mirror.compareWithSpool();
      await mirror.removeUnnamed();
      return mirror;
    } catch (error) {
      await lease.end();
      throw error;
    }
  }

  /** Why the last try failed. */
  get problem(): string | undefined {
    return this.fault?.message.split('\n')[0];
  }

  /** @param names of the files that the backup removed or cut: their parts may leave the bucket */
  async release(names: Iterable<string>): Promise<void> {
    this.plan = undefined;
    const here = new Set((await listFiles(this.spool.files)).map(({ name }) => name));
    for (const name of names) {
      if (!here.has(name)) this.released.add(name);
      else if (this.parts.has(name)) await this.compareFile(name);
    }
  }

  /**
   * Makes the next step, at most one part or one manifest, so that the caller can follow the member
   * in between. A failed step is repeated after a pause.
   * @returns false if nothing is left to do for now
   */
  async step(): Promise<boolean> {
    if (performance.now() < this.pausedUntil) return false;
    try {
      const hasMore = await this.advance(false);
      this.failures = 0;
      this.fault = undefined;
      return hasMore;
    } catch (error) {
      this.plan = undefined;
      if (!(error instanceof StoreFault)) throw error;
      this.fault = error;
      const pause = Math.min(MAX_PAUSE_MS, this.times.pauseMs * 2 ** this.failures++);
      this.pausedUntil = performance.now() + pause;
      return false;
    }
  }

  /** All that is in the spool folder. @throws CommandError if the store keeps failing */
  async flush(): Promise<void> {
    for (let tries = 1; ; ) {
      try {
        if (!(await this.advance(true))) return;
        tries = 1;
      } catch (error) {
        this.plan = undefined;
        const mayPass = error instanceof StoreFault && error.isTransient;
        if (!mayPass || tries === FLUSH_TRIES) throw error;
        const pauseMs = this.times.pauseMs * 2 ** (tries - 1);
        await delay(pauseMs, undefined, { signal: this.world.signal });
        tries++;
      }
    }
  }

  /** Ends the lease. Without that, another folder can continue when it expires. */
  async close(): Promise<void> {
    await this.lease.end();
  }

  private async advance(isFlush: boolean): Promise<boolean> {
    const now = performance.now();
    if (this.plan === undefined) {
      if (!isFlush && now - this.publishedAt < this.times.paceMs) return false;
      await this.makePlan();
      const isLeaseOld = now - this.publishedAt > this.times.renewMs;
      if (this.isPublished() && !isLeaseOld) {
        this.plan = undefined;
        return false;
      }
      return true;
    }
    if (this.todo.length > 0 && now - this.publishedAt > this.times.renewMs) {
      await this.publish(this.filesSoFar());
      return true;
    }
    const [next] = this.todo;
    if (next !== undefined) {
      const isDone = await this.putPart(next);
      if (isDone) this.todo.shift();
      return true;
    }
    await this.publish(this.filesOf(this.plan));
    await this.removeOld();
    this.plan = undefined;
    return isFlush;
  }

  private async makePlan(): Promise<void> {
    const plan = await plannedFiles(this.spool.files);
    const sizes = new Map(plan.map(({ name, size }) => [name, size]));
    for (const name of this.parts.keys()) {
      const size = sizes.get(name);
      if (size === undefined && this.released.has(name)) this.parts.delete(name);
      else if (size === undefined) throw this.lossOf(name, 'is missing');
      else if (this.sizeHere(name) > size) throw this.lossOf(name, 'is shorter now');
    }
    this.released.clear();
    this.plan = plan;
    this.todo = plan.filter(({ name, size }) => this.sizeHere(name) < size);
    for (const { name } of this.todo) this.joinSmallParts(name);
  }

  private sizeHere(name: string): number {
    return sizeOf({ parts: this.parts.get(name) ?? [] });
  }

  private joinSmallParts(name: string): void {
    const parts = this.parts.get(name) ?? [];
    const small = parts.length - 1 - parts.findLastIndex(({ size }) => size === MAX_PART);
    if (small > MAX_SMALL_PARTS) parts.splice(parts.length - small);
  }

  /** @returns whether the file has all its parts */
  private async putPart({ name, size }: PlannedFile): Promise<boolean> {
    const parts = this.parts.get(name) ?? [];
    const offset = sizeOf({ parts });
    const bytes = await bytesOf(
      join(this.spool.files, name),
      offset,
      Math.min(MAX_PART, size - offset),
    );
    const part = { size: bytes.length, sha256: sha256Of(bytes) };
    const key = keyOfPart(name, offset, part);
    this.stored.add(key);
    await this.store.put(key, bytes);
    this.parts.set(name, [...parts, part]);
    this.world.progress(name, offset + part.size, size);
    return offset + part.size >= size;
  }

  private filesOf(planned: readonly PlannedFile[]): KeptFile[] {
    return planned.map(({ name, mtimeMs }) => ({
      name,
      mtimeMs,
      parts: this.parts.get(name) ?? [],
    }));
  }

  /** The files before the next one, and those of the manifest that come later. */
  private filesSoFar(): KeptFile[] {
    const waiting = new Set(this.todo.map(({ name }) => name));
    const done = this.filesOf((this.plan ?? []).filter(({ name }) => !waiting.has(name)));
    const names = new Set(done.map(({ name }) => name));
    return [...done, ...this.lease.files.filter(({ name }) => !names.has(name))];
  }

  private isPublished(): boolean {
    const planned = this.filesOf(this.plan ?? []).flatMap(keysOf);
    const named = this.lease.files.flatMap(keysOf);
    return (
      this.todo.length === 0 &&
      planned.length === named.length &&
      planned.every((key, at) => key === named[at])
    );
  }

  private async publish(files: readonly KeptFile[]): Promise<void> {
    await this.lease.write(files);
    this.publishedAt = performance.now();
  }

  /** Parts that the manifest no longer names, once the bucket has all that it names. */
  private async removeOld(): Promise<void> {
    const named = new Set(this.lease.files.flatMap(keysOf));
    const old = [...this.stored].filter((key) => !named.has(key));
    if (old.length === 0 || !(await this.hasAllNamed())) return;
    for (const key of old) {
      await this.store.remove(key);
      this.stored.delete(key);
    }
  }

  /** Plans missing parts again, as if they were new. */
  private async hasAllNamed(): Promise<boolean> {
    const there = new Set(await this.store.list());
    let hasAll = true;
    for (const file of this.lease.files) {
      const missing = keysOf(file).findIndex((key) => !there.has(key));
      if (missing === -1) continue;
      hasAll = false;
      this.parts.set(file.name, (this.parts.get(file.name) ?? []).slice(0, missing));
    }
    return hasAll;
  }

  private async removeUnnamed(): Promise<void> {
    for (const key of await this.store.list()) {
      if (key !== MANIFEST && isKeyOfPart(key)) this.stored.add(key);
    }
    await this.store.patiently(() => this.removeOld());
    this.publishedAt = performance.now() - this.times.paceMs;
  }

  /** The newest log may have another end; another file is as it was, if it has its size. */
  private async compareWithSpool(): Promise<void> {
    for (const file of this.lease.files) {
      refuseDamage(this.store, await refill(this.store, file, this.spool, this.world.progress));
    }
    const here = await listFiles(this.spool.files);
    const newest = logsAmong(here).at(-1)?.name;
    const sizes = new Map(here.map(({ name, size }) => [name, size]));
    for (const file of this.lease.files) {
      const { name, parts } = file;
      this.parts.set(name, [...parts]);
      if (name !== newest && sizes.get(name) === sizeOf(file)) continue;
      await this.compareFile(name);
      const isCut = this.parts.get(name)?.length !== parts.length;
      if (isCut && name !== newest) throw this.lossOf(name, 'is another one than in the bucket');
    }
  }

  private lossOf(name: string, what: string): CommandError {
    const path = join(this.spool.files, name);
    return runFault(
      `${path}: ${what}\nLeave the files of the spool folder alone, and run the same command again: the bucket has kept the file`,
    );
  }

  private async compareFile(name: string): Promise<void> {
    const kept = await matchingParts(join(this.spool.files, name), this.parts.get(name) ?? []);
    this.parts.set(name, [...kept.parts]);
  }
}

/** @throws CommandError, because parts without a manifest would be removed as leftovers */
function refuseParts(target: string, keys: readonly string[]): void {
  if (!keys.some(isKeyOfPart)) return;
  throw runFault(
    `${target}: has parts of a backup, but ${MANIFEST} is missing\nRestore an older version of this object, or start a new backup with another prefix`,
  );
}
