import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds another commit of this repository, with its own packages, in a clone below `home`.
 * Returns its zkserver.
 */
export function buildRevision(revision: string, home: string): string {
  const folder = join(home, 'revision');
  run('git', ['clone', '--quiet', '--no-checkout', ROOT, folder], home);
  run('git', ['checkout', '--quiet', '--detach', revision], folder);
  run(process.execPath, ['scripts/ensure.mjs'], folder);
  return join(folder, 'dist', 'bin', 'zkserver.cjs');
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: failed`, { cause: error });
}
