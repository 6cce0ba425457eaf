// Machines for the guides: a network namespace and a /var for each, so that the commands of a page
// run as they stand, with its names, ports, and paths. ssh, sudo, and systemctl are scripts.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeNamespaces, type Namespace } from '../support/machine/namespaces.js';
import { programPath } from '../support/machine/program-path.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';

const NAMES = ['zk1', 'zk2', 'zk3', 'zk4', 'zk5', 'ops'] as const;
export type MachineName = (typeof NAMES)[number];

/** One block of a guide takes at most this long. */
const BLOCK_MS = 240_000;
const APACHE_JARS = [process.env['APACHE_CLASS_PATH'] ?? '/usr/share/java/zookeeper.jar'];

/** Runs as the machine $1, with its folders in the places that the guides name. */
const ENTER = `#!/bin/sh
name=$1; shift
home=HOME_OF_ALL
export MACHINE="$home/$name"
space=$(cat "$MACHINE/space")
exec ip netns exec "$space" sh -c 'mount --rbind "$MACHINE/var" /var &&
  mount --bind "$MACHINE/units" /etc/systemd/system &&
  mount --bind "$MACHINE/../hosts" /etc/hosts && cd "$MACHINE/root" && HOME=$PWD exec "$@"' sh "$@"
`;

const SSH = `#!/bin/sh
host=$1; shift
exec HOME_OF_ALL/enter "$host" sh -c "$*"
`;

const SUDO = `#!/bin/sh
[ "$1" != -u ] || shift 2
exec "$@"
`;

/** Units of type notify are started when their port listens. */
const SYSTEMCTL = `#!/bin/bash
verb=$1; shift
[ "$verb" != daemon-reload ] || exit 0
for word; do case $word in --now) now=yes ;; *) unit=\${word%.service} ;; esac; done
pidfile=$MACHINE/$unit.pid
stop() {
  [ -f "$pidfile" ] || return 0
  pid=$(cat "$pidfile"); rm "$pidfile"
  kill "$pid" 2>/dev/null
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}
start() {
  ! { [ -f "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null; } || return 0
  command=$(cat HOME_OF_ALL/exec-$unit /etc/systemd/system/$unit.service.d/*.conf 2>/dev/null |
    sed -n 's/^ExecStart=//p' | tail -n 1)
  setsid sh -c "exec \${command#/usr/bin/}" >>"$MACHINE/$unit.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  until (exec 3<>/dev/tcp/127.0.0.1/2181) 2>/dev/null; do
    kill -0 "$(cat "$pidfile")" 2>/dev/null || { echo "$unit: failed to start" >&2; return 1; }
    sleep 0.05
  done
}
case $verb in
  enable) [ -z "$now" ] || start ;;
  disable) [ -z "$now" ] || stop ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
esac
`;

export interface Outcome {
  readonly status: number | null;
  /** Of both streams. */
  readonly output: string;
}

export interface Machines {
  /** The folder with the files of all machines. */
  readonly home: string;
  /** Runs a script on a machine. */
  run(name: MachineName, script: string): Promise<Outcome>;
  /** Puts the data of a member on a disk of its own, of that many MiB. */
  giveDisk(name: MachineName, mebibytes: number): void;
  /** The address of a client port for this process. */
  clientOf(name: MachineName): string;
  close(): void;
}

function javaCommand(): string {
  const classPath = [...APACHE_JARS, '/usr/share/java/slf4j-simple.jar'].join(':');
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  return `java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp ${classPath} ${main}`;
}

function writeScripts(home: string): string {
  const path = programPath(home);
  const scripts = { ssh: SSH, sudo: SUDO, systemctl: SYSTEMCTL };
  for (const [name, text] of Object.entries({ ...scripts, '../enter': ENTER })) {
    const file = join(home, 'bin', name);
    writeFileSync(file, text.replaceAll('HOME_OF_ALL', home));
    chmodSync(file, 0o755);
  }
  const unit = readFileSync('deploy/systemd/zkserver.service', 'utf8');
  const [start = ''] = /^ExecStart=.*$/m.exec(unit) ?? [];
  writeFileSync(join(home, 'exec-zkserver'), `${start}\n`);
  const apache = `ExecStart=${javaCommand()} /var/lib/zookeeper/zoo.cfg\n`;
  writeFileSync(join(home, 'exec-zookeeper'), apache);
  return path;
}

export function makeMachines(): Machines {
  const folder = makeTempDir('guide');
  const home = folder.path;
  const spaces = makeNamespaces(NAMES.length);
  const path = writeScripts(home);
  const disks: string[] = [];
  const each = NAMES.map((name, at) => ({ name, space: spaces.all[at] as Namespace }));
  for (const { name, space } of each) {
    for (const part of ['root', 'units', 'var/lib', 'var/tmp', 'var/backups']) {
      mkdirSync(join(home, name, part), { recursive: true });
    }
    writeFileSync(join(home, name, 'space'), `${space.prefix.at(-1)}\n`);
  }
  const hosts = each.map(({ name, space }) => `${space.address} ${name}\n`);
  writeFileSync(join(home, 'hosts'), `127.0.0.1 localhost\n${hosts.join('')}`);
  return {
    home,
    run: async (name, script) => {
      const child = spawn(join(home, 'enter'), [name, 'sh', '-ec', script], {
        env: { ...process.env, PATH: path, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: BLOCK_MS,
      });
      const { ended, output } = watchProcess(child);
      return { status: await ended, output: output() };
    },
    giveDisk: (name, mebibytes) => {
      const mount = join(home, name, 'var/lib/zookeeper');
      const script = `cp -a "$0" "$0.old" && mount -t tmpfs -o size=${mebibytes}m disk "$0" &&
        cp -a "$0.old/." "$0"`;
      const { status, stderr } = spawnSync('sh', ['-c', script, mount], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`mount ${mount}: ${stderr}`);
      disks.push(mount);
    },
    clientOf: (name) => `${each.find((one) => one.name === name)?.space.clientAddress}:2181`,
    close: () => {
      for (const { space } of each) killAllIn(space.prefix.at(-1) ?? '');
      for (const disk of disks) spawnSync('umount', ['--lazy', disk]);
      spaces.remove();
      folder.remove();
    },
  };
}

/** All processes of a namespace that this process made. */
function killAllIn(space: string): void {
  const { stdout } = spawnSync('ip', ['netns', 'pids', space], { encoding: 'utf8' });
  for (const pid of stdout.split('\n').filter((line) => line !== '')) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
