// The registry of what zkops can do: the words, then the verbs that judge.

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
import { mntr } from './verbs/mntr.js';
import { quorum } from './verbs/quorum.js';
import { report } from './verbs/report.js';
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
  health,
  quorum,
  check,
  top,
  report,
];

export const TASKS: readonly TaskEntry[] = [
  {
    name: 'latency',
    summary: 'measures real operations on every member, with ephemerals that go by themselves',
    load: async () => [(await import('./probes/latency.js')).latencyTask],
  },
  {
    name: 'smoke',
    summary: 'writes through one member and looks through all: create, watch, set, multi, delete',
    load: async () => [(await import('./probes/smoke.js')).smokeTask],
  },
  {
    name: 'gate',
    summary: 'waits until the ensemble is healthy, or a member may be stopped; and in which order',
    load: async () => [(await import('./probes/gate.js')).gateTask],
  },
  {
    name: 'ready',
    summary: 'does this one server serve? By srvr alone, which every server allows',
    load: async () => [(await import('./probes/ready.js')).readyTask],
  },
  {
    name: 'consistency',
    summary: 'do all members hold the same tree? By their digests, or by walking the trees',
    load: async () => [(await import('./probes/consistency.js')).consistencyTask],
  },
  {
    name: 'drift',
    summary: 'what the configuration and environment of the members differ in',
    load: async () => [(await import('./probes/drift.js')).driftTask],
  },
  {
    name: 'clients',
    summary: 'who is connected to which member, by host, member or session',
    load: async () => [(await import('./probes/clients.js')).clientsTask],
  },
  {
    name: 'watches',
    summary: 'how many watches the members hold; with --by whose, or of which paths',
    load: async () => [(await import('./probes/watches.js')).watchesTask],
  },
  {
    name: 'exporter',
    summary:
      'serves the metrics of the ensemble to Prometheus; alert rules and a dashboard for them',
    load: async () => [(await import('./exporter/exporter.js')).exporterTask],
  },
  {
    name: 'snap',
    summary: 'snapshots, of Apache servers too: verify, top, dump, diff',
    load: async () => (await import('./verbs/snap.js')).snap,
  },
  {
    name: 'log',
    summary: 'transaction logs, of Apache servers too: verify, dump, truncate',
    load: async () => (await import('./verbs/log.js')).log,
  },
  {
    name: 'clean',
    summary: 'removes snapshots and logs that no start needs (needs --yes, or --dry-run)',
    load: async () => [(await import('./files/clean-folder.js')).cleanFolder],
  },
];
