// Machines for the guides: each boots systemd in namespaces of its own, has the Debian package, and
// is reached as an operator without privileges who may use sudo. So the commands of a page run as
// they stand, with its names, ports, and paths, and the unit runs in its sandbox.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeNamespaces, type Namespace } from '../support/machine/namespaces.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';
import { baseLayer } from './base-layer.js';
import { runOn } from './remote.js';

export type MachineName = 'zk1' | 'zk2' | 'zk3' | 'zk4' | 'zk5' | 'ops';

const MACHINE = join(PROJECT_ROOT, 'test/guides/machine/booted-machine.sh');
const BOOT_MS = 120_000;
const REMOVE_MS = 20_000;
/** One block of a guide takes at most this long. */
const BLOCK_MS = 240_000;

export interface Outcome {
  readonly status: number | null;
  /** The output of both streams. */
  readonly output: string;
}

export interface Machines {
  readonly names: readonly MachineName[];
  /** Runs a script on a machine, as the operator. */
  run(name: MachineName, script: string): Promise<Outcome>;
  /** Ends the machine, and boots a new one with its name. */
  replace(name: MachineName): Promise<void>;
  /** The address of a client port for this process. */
  clientOf(name: MachineName): string;
  close(): void;
}

interface Machine {
  readonly space: Namespace;
  readonly group: string;
  process: ChildProcess;
}

export async function makeMachines(names: readonly MachineName[]): Promise<Machines> {
  const base = baseLayer();
  const folder = makeTempDir('guide');
  const spaces = makeNamespaces(names.length);
  const all = new Map<MachineName, Machine>();
  const machineOf = (name: MachineName): Machine => {
    const machine = all.get(name);
    if (machine === undefined) throw new Error(`${name}: not booted for this guide`);
    return machine;
  };
  const run = async (name: MachineName, script: string): Promise<Outcome> => {
    const { clientAddress } = machineOf(name).space;
    return runOn(clientAddress, script, BLOCK_MS);
  };
  const boot = (name: MachineName, space: Namespace, group: string): ChildProcess => {
    mkdirSync(join(folder.path, name), { recursive: true });
    const words = ['unshare', '-m', 'bash', MACHINE, name, join(folder.path, name), group];
    const [command = '', ...args] = [...space.prefix, ...words];
    return spawn(command, args, { env: { ...process.env, BASE: base }, stdio: 'ignore' });
  };
  const untilUp = (name: MachineName) =>
    waitFor(`${name} to boot`, async () => (await run(name, 'true')).status === 0, BOOT_MS);
  const end = ({ process: child, group }: Machine): void => {
    child.kill('SIGKILL');
    removeGroup(group);
  };
  const close = (): void => {
    for (const machine of all.values()) end(machine);
    spaces.remove();
    folder.remove();
  };
  const lines = names.map((name, at) => `${spaces.all[at]?.address} ${name}\n`);
  writeFileSync(join(folder.path, 'hosts'), `127.0.0.1 localhost\n${lines.join('')}`);
  try {
    for (const [at, name] of names.entries()) {
      const group = `zksh-guide-${process.pid}-${name}`;
      const space = spaces.all[at] as Namespace;
      all.set(name, { space, group, process: boot(name, space, group) });
    }
    for (const name of names) await untilUp(name);
  } catch (error) {
    close();
    throw error;
  }
  return {
    names,
    run,
    replace: async (name) => {
      const machine = machineOf(name);
      end(machine);
      machine.process = boot(name, machine.space, machine.group);
      await untilUp(name);
    },
    clientOf: (name) => `${machineOf(name).space.clientAddress}:2181`,
    close,
  };
}

/** Its processes end with their namespace, and then it can go. */
function removeGroup(group: string): void {
  const script = `mount -t cgroup2 cgroup2 "$1" && cd "$1"
    while [ -d "$0" ]; do find "$0" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1; done`;
  const place = makeTempDir('groups');
  const args = ['-m', 'sh', '-c', script, group, place.path];
  spawnSync('unshare', args, { timeout: REMOVE_MS });
  place.remove();
}
