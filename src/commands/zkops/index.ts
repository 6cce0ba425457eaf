// The registry of zkops: the words, then the verbs that judge.

import type { OpsVerb } from '../ensemble/verb.js';
import type { TaskEntry } from './calls/task.js';
import { check } from './verbs/check.js';
import { conf } from './verbs/conf.js';
import { cons } from './verbs/cons.js';
import { dirs } from './verbs/dirs.js';
import { dump } from './verbs/dump.js';
import { envi } from './verbs/envi.js';
import { hash } from './verbs/hash.js';
import { health } from './verbs/health.js';
import { isro } from './verbs/isro.js';
import { load } from './verbs/load.js';
import { mntr } from './verbs/mntr.js';
import { quorum } from './verbs/quorum.js';
import { crst, srst } from './verbs/resets.js';
import { ruok } from './verbs/ruok.js';
import { srvr } from './verbs/srvr.js';
import { stat } from './verbs/stat.js';
import { top } from './verbs/top.js';
import { gtmk, stmk } from './verbs/trace-mask.js';
import { wchc, wchp, wchs } from './verbs/watches.js';

export const VERBS: readonly OpsVerb[] = [
  ruok,
  srvr,
  stat,
  mntr,
  cons,
  conf,
  envi,
  isro,
  wchs,
  wchc,
  wchp,
  dump,
  dirs,
  hash,
  gtmk,
  stmk,
  crst,
  srst,
  load,
  health,
  quorum,
  check,
  top,
];

export const TASKS: readonly TaskEntry[] = [
  {
    name: 'latency',
    summary: 'Measure operations on every member, with ephemeral znodes',
    load: async () => [(await import('./probes/latency.js')).latencyTask],
  },
  {
    name: 'smoke',
    summary: 'Write through one member and read through all: create, watch, set, multi, delete',
    load: async () => [(await import('./probes/smoke.js')).smokeTask],
  },
  {
    name: 'gate',
    summary: 'Wait until the ensemble is healthy, or check whether a member may be stopped',
    load: async () => [(await import('./probes/gate.js')).gateTask],
  },
  {
    name: 'roll',
    summary:
      'Restart all members in turn with a command, the leader last; stop at the first problem',
    load: async () => [(await import('./probes/roll.js')).rollTask],
  },
  {
    name: 'move-leader',
    summary: 'Let another voter lead, without an election',
    load: async () => [(await import('./probes/move-leader.js')).moveLeaderTask],
  },
  {
    name: 'ready',
    summary: 'Check whether one server serves, using only srvr, which every server allows',
    load: async () => [(await import('./probes/ready.js')).readyTask],
  },
  {
    name: 'consistency',
    summary: 'Compare the trees of all members, by their digests or by walking them',
    load: async () => [(await import('./probes/consistency.js')).consistencyTask],
  },
  {
    name: 'drift',
    summary: 'Compare the configuration and environment of the members',
    load: async () => [(await import('./probes/drift.js')).driftTask],
  },
  {
    name: 'clients',
    summary: 'List the clients of every member by host, member, or session',
    load: async () => [(await import('./probes/clients.js')).clientsTask],
  },
  {
    name: 'watches',
    summary: 'Count the watches of every member; with --by, by session, path, or host',
    load: async () => [(await import('./probes/watches.js')).watchesTask],
  },
  {
    name: 'exporter',
    summary: 'Serve the metrics of the ensemble to Prometheus; print alert rules and a dashboard',
    load: async () => [(await import('./exporter/exporter.js')).exporterTask],
  },
  {
    name: 'console',
    summary: 'Serve a page and an HTTP API that show the ensemble and its tree',
    load: async () => [(await import('../../console/console-task.js')).consoleTask],
  },
  {
    name: 'snap',
    summary: 'Verify, rank, dump, and compare snapshots, also of Apache servers',
    load: async () => (await import('./verbs/snap.js')).snap,
  },
  {
    name: 'log',
    summary: 'Verify, dump, truncate, and recover transaction logs, also of Apache servers',
    load: async () => (await import('./verbs/log.js')).log,
  },
  {
    name: 'snapshot',
    summary: 'Save or restore a snapshot of a running server, or verify snapshot files',
    load: async () => (await import('./backup/snapshot-tasks.js')).snapshot,
  },
  {
    name: 'backup',
    summary: 'Run, restore, or list a continuous backup, also of Apache servers',
    load: async () => (await import('./backup/backup-tasks.js')).backup,
  },
  {
    name: 'clean',
    summary: 'Remove old snapshots and logs (requires --yes or --dry-run)',
    load: async () => [(await import('./files/clean-folder.js')).cleanFolder],
  },
];
