// The registry of what zkops can do: the words, then the verbs that judge.

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
