// The registry of what zkops can do: the words, then the verbs that judge.

import type { TaskGroup } from './task.js';
import type { OpsVerb } from './verb.js';
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
import { crst, srst } from './verbs/resets.js';
import { ruok } from './verbs/ruok.js';
import { srvr } from './verbs/srvr.js';
import { stat } from './verbs/stat.js';
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
];

/** What is no word: loaded when it is called, for a check every minute should not pay for it. */
export interface TaskEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<TaskGroup>;
}

export const TASKS: readonly TaskEntry[] = [
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
    load: async () => (await import('./verbs/clean.js')).clean,
  },
];
