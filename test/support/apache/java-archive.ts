import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The file for classes that a JVM has parsed and verified, which shortens other starts. Its name
 * changes with the files that it was made from.
 * @param madeFrom the `java` and the jars
 */
export function archiveFile(madeFrom: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of madeFrom.map((name) => realpathSync(name))) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  const name = `java-${hash.digest('hex').slice(0, 12)}.jsa`;
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}

/**
 * The JVM options that use the archive, or none if it does not exist. The JVM ignores one that
 * does not fit.
 */
export function archiveFlags(madeFrom: readonly string[]): string[] {
  const file = archiveFile(madeFrom);
  return existsSync(file) ? [`-XX:SharedArchiveFile=${file}`, '-Xlog:disable'] : [];
}
