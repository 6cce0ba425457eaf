import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Where a virtual machine keeps classes that it has parsed and verified, so that others start with
 * less work. A change of the files that it was made from changes its name.
 * @param madeFrom the `java` and the jars
 */
export function archiveFile(madeFrom: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of madeFrom.map((name) => realpathSync(name))) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  const name = `java-${hash.digest('hex').slice(0, 12)}.jsa`;
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** The options that use it, silent where it does not fit; none where nobody has made it. */
export function archiveFlags(madeFrom: readonly string[]): string[] {
  const file = archiveFile(madeFrom);
  return existsSync(file) ? [`-XX:SharedArchiveFile=${file}`, '-Xlog:disable'] : [];
}
