// The executable and the tarball on a machine without Node.js, npm, a shell, and a network: a root
// folder with the files of three packages of Debian, in an empty network namespace.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaceTest } from '../support/machine/namespaces.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

/** Node.js needs these, and nothing else. */
const COPY_LIBRARIES = `mkdir -p "$ROOT/usr/lib" "$ROOT/usr/lib64"
dpkg -L libc6 libstdc++6 libgcc-s1 | grep -v -e /share/ -e '^/.$' |
  sed 's,^/,,' | tar -C / --no-recursion -cf - -T - | tar -xf - -C "$ROOT"
mkdir -p "$ROOT/dev" "$ROOT/tmp" "$ROOT/root" "$ROOT/opt"
mknod -m 666 "$ROOT/dev/null" c 1 3
mknod -m 666 "$ROOT/dev/urandom" c 1 9`;

/** All three programs. The shell and its tools are outside of the root folder. */
const USE = `ip link set lo up
on() { env -i HOME=/root PATH="$PATH" chroot "$ROOT" "$@"; }
on $ZKSH --embedded -c 'create /a hello; get /a'
on $ZKSERVER init /data
# Not by the function, which a shell of its own would run.
env -i HOME=/root PATH="$PATH" chroot "$ROOT" $ZKSERVER start-foreground /data/zoo.cfg >"$ROOT/log" 2>&1 &
server=$!
until on $ZKOPS ready -q >/dev/null; do kill -0 $server || { cat "$ROOT/log"; exit 1; }; done
on $ZKSH 127.0.0.1 create /b kept
on $ZKSH 127.0.0.1 get /b
on $ZKOPS health
kill $server
wait $server
echo "ended with $?"`;

function inRoot(root: string, script: string, programs: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--net', '--pid', '--fork', 'sh', '-ec', script],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ROOT: root, ...programs },
    },
  );
  assert.is(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** @param words what starts a program of this name */
function expectWorking(root: string, words: (program: string) => string): void {
  for (const name of ['node', 'npm', 'sh', 'bash']) {
    const places = ['bin', 'usr/bin', 'usr/local/bin'].map((place) => join(root, place, name));
    assert.equal(places.filter(existsSync), []);
  }
  const out = inRoot(root, USE, {
    ZKSH: words('zksh'),
    ZKOPS: words('zkops'),
    ZKSERVER: words('zkserver'),
  });
  assert.match(out, 'Created /a\nhello\n');
  assert.match(out, 'Created /b\nkept\n');
  assert.match(out, 'HEALTHY');
  assert.match(out, 'ended with 0\n');
}

function withRoot(use: (root: string) => void): void {
  const { path, remove } = makeTempDir('bare');
  try {
    inRoot(path, COPY_LIBRARIES);
    use(path);
  } finally {
    remove();
  }
}

namespaceTest('the executable runs without Node.js, npm, and a network', () =>
  withRoot((root) => {
    const made = [join(PROJECT_ROOT, 'scripts/executable.mjs')];
    execFileSync(process.execPath, made, { cwd: PROJECT_ROOT, stdio: 'ignore' });
    copyFileSync(join(PROJECT_ROOT, 'dist/executable/zk'), join(root, 'opt/zk'));
    expectWorking(root, (program) => `/opt/zk ${program}`);
  }),
);

namespaceTest('the tarball alone runs with a copy of node, without npm and a network', () =>
  withRoot((root) => {
    const modules = join(root, 'opt/node_modules');
    mkdirSync(modules);
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', root];
    execFileSync('npm', pack, { cwd: PROJECT_ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    const tarball = readdirSync(root).find((name) => name.endsWith('.tgz')) ?? '';
    execFileSync('tar', ['-xzf', join(root, tarball), '-C', modules]);
    execFileSync('mv', [join(modules, 'package'), join(modules, 'zksh')]);
    copyFileSync(process.execPath, join(root, 'opt/node'));
    expectWorking(root, (program) => `/opt/node /opt/node_modules/zksh/dist/bin/${program}.cjs`);
  }),
);

test.run();
