/** Recipes of libraries, each used by worker processes. */
import { spawn } from 'node:child_process';
import { spawnJava } from '../support/apache/oracle.js';
import type { Application } from './application.js';
import { debianVersion } from './debian.js';
import {
  namesIn,
  type Promises,
  programOf,
  type StartWorker,
  startWorkers,
  WORKERS,
} from './workers.js';

const python =
  (program: string): StartWorker =>
  (args) =>
    spawn('/usr/bin/python3', ['-B', programOf(program), ...args]);

const CURATOR_JARS = ['curator-client', 'curator-framework', 'curator-recipes', 'guava'].map(
  (name) => `/usr/share/java/${name}.jar`,
);
const curator: StartWorker = (args) =>
  spawnJava([programOf('CuratorWork.java'), ...args], {}, CURATOR_JARS);

const SHARED = { holders: { semaphore: 2 }, queues: ['queue'], counters: ['counter'] };

export const RECIPES: readonly Application[] = [
  recipes('kazoo', 'python3-kazoo', python('kazoo_work.py'), {
    exclusive: ['lock', 'election'],
    ...SHARED,
  }),
  recipes('Curator', 'libcurator-recipes-java', curator, {
    exclusive: ['lock', 'election', 'write-lock'],
    ...SHARED,
  }),
  recipes('tooz', 'python3-tooz', python('tooz_work.py'), { exclusive: ['lock', 'election'] }),
  recipes('taskflow', 'python3-taskflow', python('taskflow_work.py'), { queues: ['jobs'] }),
];

function recipes(name: string, debian: string, run: StartWorker, promises: Promises): Application {
  return {
    name,
    work: `${WORKERS.length} processes: ${namesIn(promises).join(', ')}`,
    source: `Debian's ${debian}`,
    version: () => debianVersion(debian),
    start: async (ensemble) => startWorkers(ensemble, run, promises),
  };
}
