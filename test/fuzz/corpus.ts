import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { nameOf } from './fuzzer.js';
import type { Target } from './target.js';

const CORPUS = join(PROJECT_ROOT, 'test', 'fuzz', 'corpus');

/** The seeds of the target, and its corpus in the repository. */
export function readCorpus(target: Target): Buffer[] {
  const folder = join(CORPUS, target.name);
  const kept = existsSync(folder) ? readdirSync(folder).sort() : [];
  return [...target.seeds(), ...kept.map((name) => readFileSync(join(folder, name)))];
}

/**
 * Stores the input.
 * @returns the path of its file
 */
export function keepInput(targetName: string, input: Buffer): string {
  const folder = join(CORPUS, targetName);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, nameOf(input));
  writeFileSync(path, input);
  return path;
}
