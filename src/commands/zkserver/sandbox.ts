/** What the sandbox of a unit hides or forbids, and what an operator can do about it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Target } from './target.js';
import { Exit, VerbError, type VerbIo } from './verb.js';

const TEMPORARY = /^\/(?:var\/)?tmp\//;

function adviceFor(configFile: string | undefined): string {
  const file = configFile === undefined ? 'ZOO.CFG' : resolve(configFile);
  return `The unit allows only /var/lib/zookeeper. For a drop-in with the folders of this zoo.cfg: sudo zkserver init ${file} --unit`;
}

/**
 * With PrivateTmp, a unit gets an empty /tmp: its server would start without the data there.
 * @throws VerbError
 */
export function mustSeeData({ config, dataDir, configFile }: Target): void {
  const hidden = [dataDir, config.dataLogDir ?? dataDir]
    .map((folder) => resolve(folder))
    .find((folder) => TEMPORARY.test(folder) && isPrivate(folder));
  if (hidden === undefined) return;
  throw new VerbError(
    Exit.DATA_DIR,
    `zkserver: ${hidden}: systemd hides this folder from the unit (PrivateTmp)`,
    adviceFor(configFile),
  );
}

/** systemd mounts a folder named systemd-private-… over /tmp. */
function isPrivate(folder: string): boolean {
  const point = folder.startsWith('/var') ? '/var/tmp' : '/tmp';
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return mounts.some((line) => {
      const [, , , root = '', target] = line.split(' ');
      return target === point && root.includes('/systemd-private-');
    });
  } catch {
    return false;
  }
}

/** The error with the advice, if the file system is read-only for this unit. */
export function explainReadOnly(error: unknown, { configFile }: Target, { env }: VerbIo): unknown {
  if (env['INVOCATION_ID'] === undefined || !isReadOnly(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new VerbError(Exit.DATA_DIR, `zkserver: ${text}`, adviceFor(configFile));
}

function isReadOnly(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && one.code === 'EROFS') return true;
  }
  return false;
}
