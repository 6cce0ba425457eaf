/** The engine of ClickHouse in Node processes, by the package chdb in a folder of its own. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Application } from './application.js';
import { zookeeperSection } from './clickhouse-config.js';
import { programOf, type StartWorker, startWorkers } from './workers.js';

const PROMISES = { queues: ['keys', 'tables'], counters: ['counter'] };
const PACKAGE = 'chdb@3.4.0';

/** @param folder where chdb is, or gets installed; undefined does not run it */
export function chdb(folder: string | undefined): Application {
  const module = moduleIn(folder ?? '');
  const run: StartWorker = (args) =>
    spawn(process.execPath, [programOf('chdb-work.mjs'), module, ...args]);
  return {
    name: 'chdb',
    work: 'keys and a counter of a KeeperMap table, replicated tables',
    source: `npm's ${PACKAGE} (--chdb FOLDER)`,
    version: () => (folder === undefined ? undefined : versionIn(folder, module)),
    start: async (ensemble) =>
      startWorkers(ensemble, run, PROMISES, {
        // All embedded engines have the same id, by which the engine allows one session only.
        workers: ['worker'],
        prepare: (home) => writeFileSync(join(home, 'config.xml'), configOf(ensemble.ports)),
      }),
  };
}

export const moduleIn = (folder: string): string => resolve(folder, 'node_modules/chdb');

/** Installs it if needed. */
function versionIn(folder: string, module: string): string | undefined {
  const file = join(module, 'package.json');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const options = ['--prefix', folder, '--no-audit', '--no-fund', '--no-save'];
    spawnSync('npm', ['install', ...options, PACKAGE], { stdio: ['ignore', 2, 2] });
  }
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

export const configOf = (ports: readonly number[]): string => `<clickhouse>
  ${zookeeperSection(ports)}
  <keeper_map_path_prefix>/keeper_map</keeper_map_path_prefix>
</clickhouse>
`;
