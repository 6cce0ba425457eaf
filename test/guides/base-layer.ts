// The layer over / that the machines of the guides share: this package, and Debian's Apache server.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

const SCRIPT = join(PROJECT_ROOT, 'test/guides/machine/base-layer.sh');
const REMOTE = fileURLToPath(new URL('./remote.js', import.meta.url));
const CACHE = '/var/cache/apt/archives';

let made: string | undefined;

/** Debian's package of Apache's server as a service; undefined if it is not downloaded. */
export function zookeeperdPackage(): string | undefined {
  const given = process.env['ZOOKEEPERD_DEB'];
  if (given !== undefined && given !== '') return given;
  const names = existsSync(CACHE) ? readdirSync(CACHE) : [];
  const name = names.find((one) => /^zookeeperd_.*\.deb$/.test(one));
  return name === undefined ? undefined : join(CACHE, name);
}

/** Its folder. It is made once, and removed at the end of this process. */
export function baseLayer(): string {
  made ??= make();
  return made;
}

function make(): string {
  const { path, remove } = makeTempDir('guide-base');
  run('mount', ['-t', 'tmpfs', 'tmpfs', path]);
  process.once('exit', () => {
    spawnSync('umount', [path]);
    remove();
  });
  run(process.execPath, ['scripts/executable.mjs']);
  run(process.execPath, ['scripts/deb.mjs', 'dist/executable/zk', path]);
  const packages = readdirSync(path).map((name) => join(path, name));
  const other = zookeeperdPackage();
  if (other !== undefined) packages.push(other);
  const remote = join(path, 'remote.mjs');
  copyFileSync(REMOTE, remote);
  run('unshare', ['-m', 'bash', SCRIPT, path, process.execPath, remote, ...packages]);
  return join(path, 'upper');
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: PROJECT_ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}
