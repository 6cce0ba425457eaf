// Reads the files of a backup from a bucket. Each part is compared with its checksum.

import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { runFault } from '../../ensemble/run-fault.js';
import type { Progress } from '../calls/task.js';
import {
  type FoundManifest,
  type KeptFile,
  keyOfPart,
  MAX_PART,
  type Part,
  readManifest,
  sizeOf,
} from './manifest.js';
import { type ObjectStore, sha256Of } from './object-store.js';
import { bytesOf } from './spool-files.js';

const TRIES = 5;

export interface DownloadPlaces {
  readonly files: string;
  /** On the same disk: files before they are whole. */
  readonly staging: string;
}

export interface Downloaded extends FoundManifest {
  /** Parts that are not there, or are not those that were written. */
  readonly damage: readonly string[];
}

/**
 * A damaged part stays in its file, where the checksums of its records tell it. A missing one ends
 * the file. The writer may remove parts meanwhile: then a newer manifest names others.
 */
export async function download(
  store: ObjectStore,
  found: FoundManifest,
  places: DownloadPlaces,
  progress: Progress,
): Promise<Downloaded> {
  let { manifest, etag } = found;
  for (let tries = 1; ; tries++) {
    await removeOthers(places.files, manifest.files);
    const damage: string[] = [];
    for (const file of manifest.files) {
      const kept = await matchingParts(join(places.files, file.name), file.parts);
      if (!kept.isWhole) damage.push(...(await downloadFile(store, file, places, progress)));
    }
    const newer = damage.length === 0 ? undefined : await readManifest(store);
    const isSame = newer === undefined || newer.manifest.generation === manifest.generation;
    if (isSame || tries === TRIES) return { manifest, etag, damage };
    ({ manifest, etag } = newer);
  }
}

async function removeOthers(folder: string, files: readonly KeptFile[]): Promise<void> {
  const names = new Set(files.map(({ name }) => name));
  for (const name of await readdir(folder)) {
    if (!names.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** The parts at the start of a file that have their checksums. */
export async function matchingParts(
  path: string,
  parts: readonly Part[],
): Promise<{ readonly parts: readonly Part[]; readonly isWhole: boolean }> {
  if (!existsSync(path)) return { parts: [], isWhole: false };
  const handle = await open(path, 'r');
  try {
    let offset = 0;
    for (const [at, { size, sha256 }] of parts.entries()) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, offset);
      const isSame = bytesRead === size && sha256Of(buffer) === sha256;
      if (!isSame) return { parts: parts.slice(0, at), isWhole: false };
      offset += size;
    }
    return { parts, isWhole: (await handle.stat()).size === offset };
  } finally {
    await handle.close();
  }
}

/**
 * Fills a file that is missing, or that ends early, as after a fault of the disk. One that has
 * other bytes stays.
 * @returns damage, as of a download
 */
export async function refill(
  store: ObjectStore,
  file: KeptFile,
  places: DownloadPlaces,
  progress: Progress,
): Promise<string[]> {
  const path = join(places.files, file.name);
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size >= sizeOf(file)) return [];
  return downloadFile(store, file, places, progress, (copy) => isStartOf(path, size, copy));
}

async function isStartOf(path: string, size: number, copy: string): Promise<boolean> {
  for (let offset = 0; offset < size; offset += MAX_PART) {
    const length = Math.min(MAX_PART, size - offset);
    const [here, there] = [
      await bytesOf(path, offset, length),
      await bytesOf(copy, offset, length),
    ];
    if (!here.equals(there)) return false;
  }
  return true;
}

async function downloadFile(
  store: ObjectStore,
  file: KeptFile,
  { files, staging }: DownloadPlaces,
  progress: Progress,
  isWanted: (copy: string) => Promise<boolean> = async () => true,
): Promise<string[]> {
  const { name, mtimeMs, parts } = file;
  const damage: string[] = [];
  const copy = join(staging, name);
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  const handle = await open(copy, 'w', 0o640);
  try {
    let offset = 0;
    for (const part of parts) {
      const key = keyOfPart(name, offset, part);
      const found = await store.patiently(() => store.get(key, part.size));
      const bytes = typeof found === 'object' ? found.bytes : undefined;
      const isSame = bytes !== undefined && sha256Of(bytes) === part.sha256;
      if (!isSame) damage.push(`${key}: ${bytes === undefined ? 'is missing' : 'is damaged'}`);
      if (bytes !== undefined) await handle.write(bytes, 0, bytes.length, offset);
      offset += part.size;
      progress(name, offset, sizeOf(file));
      if (bytes?.length !== part.size) break;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const time = new Date(mtimeMs);
  await utimes(copy, time, time);
  if (await isWanted(copy)) renameSync(copy, join(files, name));
  else rmSync(copy);
  return damage;
}

/** @throws CommandError, because a backup cannot continue after damage */
export function refuseDamage(store: ObjectStore, damage: readonly string[]): void {
  const [first] = damage;
  if (first === undefined) return;
  throw runFault(
    `${store.place.text}: the backup is damaged: ${first}\nKeep it to restore earlier moments, and start a new backup with another prefix`,
  );
}
