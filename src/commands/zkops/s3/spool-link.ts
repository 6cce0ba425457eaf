// Tells which backup in a bucket a spool folder belongs to, and what it last wrote there.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFault } from '../../ensemble/run-fault.js';
import { writeAtomically } from '../../program/atomic-file.js';
import type { Manifest } from './manifest.js';

const LINK = 'zkops-backup-s3.json';
const SCHEMA = 'zkops-backup-spool/1';

export interface SpoolLink {
  readonly schema: typeof SCHEMA;
  readonly target: string;
  readonly id: string;
  /** Written before the manifest with this number is. */
  readonly generation: number;
  /** Not all files of the bucket are in the folder yet. */
  readonly isLoading: boolean;
}

export function newLink(target: string, isLoading: boolean): SpoolLink {
  const id = randomBytes(12).toString('hex');
  return { schema: SCHEMA, target, id, generation: 0, isLoading };
}

export function writeLink(spool: string, link: SpoolLink): void {
  writeAtomically(join(spool, LINK), `${JSON.stringify(link)}\n`);
}

/** Undefined without one. @throws CommandError for one that is not readable */
export function readLink(spool: string): SpoolLink | undefined {
  const path = join(spool, LINK);
  if (!existsSync(path)) return undefined;
  try {
    const link: SpoolLink = JSON.parse(readFileSync(path, 'utf8'));
    if (link.schema === SCHEMA) return link;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw runFault(`${path}: is damaged\nChoose an empty folder with --spool`);
}

/**
 * Whether the folder continues the backup in the bucket, must read it first, or begins one.
 * @throws CommandError for a folder of another backup, or one that the bucket is ahead of
 */
export function relationOf(
  { spool, target, isEmpty }: { spool: string; target: string; isEmpty: boolean },
  link: SpoolLink | undefined,
  manifest: Manifest | undefined,
): 'begin' | 'load' | 'continue' {
  const next = 'Choose an empty folder with --spool: it is filled from the bucket';
  if (link !== undefined && link.target !== target) {
    throw runFault(`${spool}: is the spool folder of ${link.target}\n${next}`);
  }
  if (manifest === undefined) return 'begin';
  if (isEmpty || link?.isLoading === true) return 'load';
  if (link === undefined) {
    throw runFault(`${spool}: has another backup than ${target}\n${next}`);
  }
  if (link.id !== manifest.writer.spool || manifest.generation > link.generation) {
    throw runFault(`${spool}: is outdated: another spool folder continued ${target}\n${next}`);
  }
  return 'continue';
}
