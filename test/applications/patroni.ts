/** Patroni with two PostgreSQL servers, and a writer for each. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';
import type { Application, Running } from './application.js';
import { debianVersion } from './debian.js';
import type { Ensemble } from './ensemble.js';
import { programOf, startWorkers } from './workers.js';

const POSTGRESQL = '/usr/lib/postgresql';
const WAIT_MS = 120_000;
const NODES = ['one', 'two'];

export const PATRONI: Application = {
  name: 'Patroni',
  work: 'two PostgreSQL servers with synchronous replication: commits on the primary',
  source: "Debian's patroni, postgresql, or python3-psycopg2",
  version: () => {
    const parts = ['patroni', 'postgresql', 'python3-psycopg2'].map(debianVersion);
    return parts.includes(undefined) ? undefined : parts[0];
  },
  start: startPatroni,
};

async function startPatroni(ensemble: Ensemble): Promise<Running> {
  const home = makeTempDir('patroni');
  const nodes: Node[] = [];
  const close = async (): Promise<void> => {
    // Patroni stops its PostgreSQL before it ends.
    await Promise.all(nodes.map(({ process: { stop } }) => stop()));
    home.remove();
  };
  try {
    for (const name of NODES) {
      const node = await startNode(home.path, name, ensemble);
      nodes.push(node);
      await waitFor(`PostgreSQL ${name} to run`, () => isRunning(node), WAIT_MS);
    }
  } catch (error) {
    const outputs = nodes.map((node) => node.process.output().slice(-3000)).join('\n--\n');
    await close();
    throw new Error(`${String(error)}\n${outputs}`, { cause: error });
  }
  const running = startWorkers(
    ensemble,
    (args) => spawn('/usr/bin/python3', ['-B', programOf('patroni_work.py'), ...args]),
    { holders: { primary: 1 }, queues: ['commits'] },
    {
      workers: ['worker'],
      // More than one loop of Patroni.
      more: 200,
      prepare: (folder) => {
        writeFileSync(join(folder, 'nodes'), nodes.map(({ port }) => port).join(' '));
      },
    },
  );
  return {
    continues: running.continues,
    finish: running.finish,
    close: async () => {
      await running.close();
      await close();
    },
  };
}

interface Node {
  readonly process: WatchedProcess;
  /** Of PostgreSQL. */
  readonly port: number;
  readonly restPort: number;
}

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
const AS_POSTGRES = isRoot
  ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
  : [];

async function startNode(home: string, name: string, { connectString }: Ensemble): Promise<Node> {
  const folder = join(home, name);
  mkdirSync(folder);
  const [port, restPort] = [await freePort(), await freePort()];
  const file = join(folder, 'patroni.yml');
  const authentication = { username: 'postgres', password: 'secret' };
  // YAML is a superset of JSON.
  const config = {
    scope: 'applications',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    zookeeper: { hosts: connectString.split(',') },
    bootstrap: {
      dcs: { ttl: 20, loop_wait: 2, retry_timeout: 8, synchronous_mode: true },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: join(POSTGRESQL, readdirSync(POSTGRESQL).at(-1) ?? '', 'bin'),
      pgpass: join(folder, 'pgpass'),
      authentication: { superuser: authentication, replication: authentication },
      parameters: { unix_socket_directories: folder },
    },
  };
  writeFileSync(file, JSON.stringify(config));
  if (isRoot) spawnSync('chown', ['-R', 'postgres:postgres', home]);
  const [program = '', ...args] = [...AS_POSTGRES, 'patroni', file];
  return { process: watchProcess(spawn(program, args, { cwd: folder })), port, restPort };
}

async function isRunning({ process: { process: child }, restPort }: Node): Promise<boolean> {
  if (child.exitCode !== null) throw new Error('patroni ended');
  const url = `http://127.0.0.1:${restPort}/patroni`;
  const answer = await fetch(url).then(
    (response) => response.text(),
    () => '',
  );
  return /"state": "running"/.test(answer);
}
