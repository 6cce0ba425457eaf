import {
  AVERAGE,
  CERTIFICATE_DAYS,
  LAG,
  LATENCY_NOW,
  OUTSTANDING,
  REQUEST_RATE,
  ROLE,
  STATE,
  SYNCED,
  UPTIME,
  VERSION,
  WRITE_RATE,
  ZXID,
} from '../columns.js';
import { serverData } from '../server-data.js';
import type { OpsVerb } from '../verb.js';

export const health: OpsVerb = {
  name: 'health',
  summary: 'one verdict on the ensemble; critical only when a second look finds it again',
  // conf tells two ensembles in one list apart.
  words: ['srvr', 'mntr', 'conf'],
  extraWords: ['conf'],
  judge: 'ensemble',
  isConfirmed: true,
  isMeasured: true,
  columns: [
    STATE,
    ROLE,
    ZXID,
    LAG,
    SYNCED,
    OUTSTANDING,
    AVERAGE,
    REQUEST_RATE,
    WRITE_RATE,
    LATENCY_NOW,
    CERTIFICATE_DAYS,
    UPTIME,
    VERSION,
  ],
  data: serverData,
};
